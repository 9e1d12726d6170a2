#pragma once

// A latency that a person brings: typed, or from a file that another program wrote.

#include "support/result.h"

#include <string_view>

namespace stagecraft {

// "3.9 ms", "3900 us", "0.0039 s", with a comma or a point. Errors: WrongUse; a number without a unit is refused.
[[nodiscard]] Result<double> latencyUsFromText(std::string_view text);

// A JSON answer with "latency_us", as "stagecraft-cli measure --json" gives, or the first line of a text. Errors:
// InvalidInput.
[[nodiscard]] Result<double> latencyUsFromFile(std::string_view content);

} // namespace stagecraft
