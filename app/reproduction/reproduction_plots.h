#pragma once

// The plots of a reproduction as SVG. Shapes and texts have classes; the colours come from a style sheet: that of the
// page, or one given here for a separate picture.

#include "reproduction/reproduction.h"

#include <string>

namespace stagecraft {

struct PlotColours {
    std::string text;
    std::string line;
    std::string ours;
    std::string published;
    std::string band;
};

// The style sheet of a separate picture.
[[nodiscard]] std::string plotStyle(const PlotColours &colours);

// A group of bars per row, published next to ours. Each row has its own scale, since rows span orders of magnitude;
// with a single column all share one scale.
[[nodiscard]] std::string barsSvg(const Figure &figure, const std::string &style = {});

// All compared times: published on the x axis, ours on the y axis, both logarithmic, with a band of 10 %.
[[nodiscard]] std::string overviewSvg(const Reproduction &reproduction, const std::string &style = {});

} // namespace stagecraft
