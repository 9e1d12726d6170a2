#pragma once

// Confidence intervals for means of few values.

#include <algorithm>
#include <array>
#include <cstddef>

namespace stagecraft {

// The 97.5 % quantile of Student's t: with 95 % confidence, a mean of n values lies within this many of its standard
// errors of the true mean. `degrees` of freedom: n - 1, at least 1. From 30 on 2.04, which is at most 4 % too wide.
[[nodiscard]] inline double studentsT(std::size_t degrees)
{
    constexpr std::array kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return kQuantiles[std::min(degrees - 1, kQuantiles.size() - 1)];
}

// The probability that a mean lies at least `t` of its standard errors from the true mean, on either side.
[[nodiscard]] double studentsTails(double t, std::size_t degrees);

// Lies beyond t on either side with probability `tails`, 0 < tails < 1: studentsTails(t, degrees) == tails.
[[nodiscard]] double studentsT(std::size_t degrees, double tails);

} // namespace stagecraft
