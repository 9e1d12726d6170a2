#pragma once

// A reproduction as plain text, as a self-contained HTML page with plots (inline SVG, nothing is fetched), as the same
// page for the in-app help, and as JSON, which can be read back.

#include "reproduction/reproduction.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

// On the page for the help a plot is an image: kPlotFolder and the figure's id, or kOverviewPlot (drawn by
// reproduction/reproduction_plots.h).
inline constexpr std::string_view kPlotFolder = "plots/";
inline constexpr std::string_view kOverviewPlot = "overview";

[[nodiscard]] std::string reproductionText(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionHtml(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionHelp(const Reproduction &reproduction); // for QTextBrowser
[[nodiscard]] std::string reproductionJson(const Reproduction &reproduction);

// Refuses text that reproductionJson did not write.
[[nodiscard]] Result<Reproduction> reproductionFromJson(const std::string &text);

} // namespace stagecraft
