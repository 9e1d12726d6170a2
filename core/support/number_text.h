#pragma once

// Numbers as people read them, on a terminal and in the window, the same in every locale.

#include <cstdint>
#include <string>

namespace stagecraft {

[[nodiscard]] std::string grouped(std::int64_t count);                          // "1,234,567"
[[nodiscard]] std::string counted(std::int64_t count, const std::string &noun); // "1 stage", "1,024 stages"
[[nodiscard]] std::string percent(double share); // "12.3 %" for 0.123; "unknown" if not finite
// ASCII, for terminals and files.
[[nodiscard]] std::string plainLatency(double latencyUs);      // "412.3 us", "4.030 ms"
[[nodiscard]] std::string plainBytes(double bytes);            // "300 B", "4.71 MiB"
[[nodiscard]] std::string speedupText(double speedup);         // "1.62x"
[[nodiscard]] std::string fixedText(double value, int digits); // "0.0", never "-0.0"
// Enough digits to read back the same number.
[[nodiscard]] std::string exactText(double value);

} // namespace stagecraft
