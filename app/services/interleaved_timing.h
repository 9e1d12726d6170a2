#pragma once

// Schedules of one model, each in one go, timed one after the other and round by round: what drifts (other programs,
// clocks, heat) drifts for all. Every other round goes backwards (A B B A), so that none always comes first. On a
// device that is measured this is how schedules are compared; latencies taken minutes apart are not.

#include "device/device.h"
#include "schedule/schedule.h"
#include "services/make_schedule.h"
#include "services/verdict.h"

#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

inline constexpr int kInterleavedRounds = kRoundsForVerdict; // unless a person says otherwise

struct InterleavedTiming {
    Timing timing;             // geometric mean of the rounds: the ratio of two is the speed-up between them
    SpeedupEstimate against{}; // the first schedule
    double secondsPerRound = 0;
    std::vector<double> roundsUs{}; // as they were timed; of exact latencies none
};

// From latencies by round, then by schedule; at least one round of at least one schedule.
[[nodiscard]] std::vector<InterleavedTiming> comparedInterleaved(const std::vector<std::vector<double>> &roundsUs,
                                                                 double secondsPerRound = 0);

// Of a device whose latencies are exact.
[[nodiscard]] std::vector<InterleavedTiming> comparedExactly(std::span<const double> latenciesUs);

// Errors: the session's; Cancelled if a stop is requested before the last round is done.
[[nodiscard]] Result<std::vector<InterleavedTiming>> measureInterleaved(std::span<const Schedule> schedules,
                                                                        DeviceSession &session, int rounds,
                                                                        const std::stop_token &stop);

// A search adds up stages; in one go a baseline may still be the faster one. Then the baseline's stages and times take
// the place of what was found, and the record says so (Termination::BaselineKept). `times`: of `all`, whose first
// `baselines` are baselines; of the others those that come with the blocks of their search may be replaced, unless the
// search had to keep stages, which a baseline does not have. Says for each which one stands in its place, itself or a
// baseline.
std::vector<std::size_t> keepFasterBaselines(std::vector<MadeSchedule> &all, std::vector<InterleavedTiming> &times,
                                             std::size_t baselines, const BoundaryCost &boundary);

} // namespace stagecraft
