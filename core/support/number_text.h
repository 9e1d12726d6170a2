#pragma once

// Numbers as a person reads them, on a terminal and in the window, in every locale.

#include <cstdint>
#include <string>

namespace stagecraft {

[[nodiscard]] std::string grouped(std::int64_t count); // "1,234,567"
[[nodiscard]] std::string percent(double share);       // "12.3 %" of 0.123; "unknown" where it is infinite or no number
// ASCII, for terminals and files.
[[nodiscard]] std::string plainLatency(double latencyUs); // "412.3 us", "4.030 ms"
[[nodiscard]] std::string speedupText(double speedup);    // "1.62x"
// As many digits as give the same number when read.
[[nodiscard]] std::string exactText(double value);

} // namespace stagecraft
