#pragma once

// Checks of option values, with our messages: CLI11's own spell out types and the largest double.

#include "support/number_ranges.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace stagecraft {

inline constexpr int kLargestBound = 1'000'000; // for r and s

[[nodiscard]] CLI::Validator wholeNumber(std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                                         std::int64_t highest = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] CLI::Validator numberAbove(double bound);
[[nodiscard]] CLI::Validator numberAtLeast(double lowest);
[[nodiscard]] CLI::Validator numberWithin(double lowest, double highest);

// A whole number of those limits or a range of them, "1..5".
[[nodiscard]] CLI::Validator wholeNumbers(int lowest, int highest);

} // namespace stagecraft
