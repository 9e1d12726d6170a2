#pragma once

// The plots of a reproduction as SVG. Shapes and texts carry classes; the colours come from a style sheet: the page's
// own, or one given here for a picture that stands alone.

#include "services/reproduction.h"

#include <string>

namespace stagecraft {

struct PlotColours {
    std::string text;
    std::string line;
    std::string ours;
    std::string published;
    std::string band;
};

// The style sheet of a picture that stands alone.
[[nodiscard]] std::string plotStyle(const PlotColours &colours);

// A group of bars for each row, published beside ours. Each row to its own scale, since rows span orders of magnitude;
// with a single column all to one scale.
[[nodiscard]] std::string barsSvg(const Figure &figure, const std::string &style = {});

// Every compared time, published across, ours up, both logarithmic, with a band of 10 %.
[[nodiscard]] std::string overviewSvg(const Reproduction &reproduction, const std::string &style = {});

} // namespace stagecraft
