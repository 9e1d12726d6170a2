#pragma once

// Latencies of several things that were timed one after the other, in rounds: what affects one (other programs, clocks,
// heat) affects all, so their ratios hold. Latencies taken minutes apart are not comparable.

#include "timing/statistics/verdict.h"
#include "timing/timing.h"

#include <span>
#include <vector>

namespace stagecraft {

inline constexpr int kDefaultRounds = kRoundsForVerdict;

struct TimingInRounds {
    Timing timing;             // geometric mean of the rounds: the ratio of two is their speed-up
    SpeedupEstimate against{}; // compared with the first
    double secondsPerRound = 0;
    std::vector<double> roundsUs{}; // empty for exact latencies
};

// From latencies by round, then by what was timed; at least one of each.
[[nodiscard]] std::vector<TimingInRounds> comparedInRounds(const std::vector<std::vector<double>> &roundsUs,
                                                           double secondsPerRound = 0);

// For a device with exact latencies.
[[nodiscard]] std::vector<TimingInRounds> comparedExactly(std::span<const double> latenciesUs);

} // namespace stagecraft
