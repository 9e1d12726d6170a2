#pragma once

// A reproduction as a page of plain text, as one self-contained HTML page with plots (inline SVG, nothing fetched), and
// as JSON.

#include "engine/reproduction.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string reproductionText(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionHtml(const Reproduction &reproduction);
[[nodiscard]] std::string reproductionJson(const Reproduction &reproduction);

} // namespace stagecraft
