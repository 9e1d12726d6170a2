#pragma once

// Middles and spreads of measured values, in the unit of the values. None of the spans may be empty.

#include <span>
#include <vector>

namespace stagecraft {

[[nodiscard]] double meanOf(std::span<const double> values);
[[nodiscard]] double geometricMeanOf(std::span<const double> values); // of values above 0
[[nodiscard]] double medianOf(std::vector<double> values); // the mean of the middle two where they are even in number
[[nodiscard]] double deviationOf(std::span<const double> values); // the standard deviation of a sample; 0 of one value

} // namespace stagecraft
