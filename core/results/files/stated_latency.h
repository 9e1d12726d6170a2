#pragma once

// A latency supplied by a user: typed, or from a file that another program wrote.

#include "support/result.h"

#include <string_view>

namespace stagecraft {

// "3.9 ms", "3900 us", "0.0039 s", with a decimal comma or point. Errors: WrongUse, also for a number without a unit.
[[nodiscard]] Result<double> latencyUsFromText(std::string_view text);

// Reads a JSON answer with "latency_us", as printed by "stagecraft-cli measure --json", or the first line of a text.
// Errors: InvalidInput.
[[nodiscard]] Result<double> latencyUsFromFile(std::string_view content);

} // namespace stagecraft
