#pragma once

// A reproduction as a page of plain text, as one self-contained HTML page with plots (inline SVG, nothing fetched), as
// the same page for the in-app help, and as JSON, which reads back.

#include "services/reproduction.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

// In the page for the help a plot is an image: kPlotFolder and the figure's id, or kOverviewPlot
// (services/reproduction_plots.h draws them).
inline constexpr std::string_view kPlotFolder = "plots/";
inline constexpr std::string_view kOverviewPlot = "overview";

[[nodiscard]] std::string reproductionText(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionHtml(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionHelp(const Reproduction &reproduction); // what QTextBrowser can show
[[nodiscard]] std::string reproductionJson(const Reproduction &reproduction);

// Refuses text that reproductionJson did not write.
[[nodiscard]] Result<Reproduction> reproductionFromJson(const std::string &text);

} // namespace stagecraft
