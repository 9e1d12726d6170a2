#pragma once

// Schedules of one model, each in one go, timed one after the other, in rounds: drift (other programs, clocks, heat)
// affects all of them. Every other round runs backwards (A B B A), so that none is always first. Schedules on measuring
// devices are compared in this way; latencies taken minutes apart are not comparable.

#include "device/device.h"
#include "flow/make_schedule.h"
#include "schedule/schedule.h"
#include "timing/statistics/verdict.h"

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

inline constexpr int kDefaultRounds = kRoundsForVerdict; // the default

struct TimingInRounds {
    Timing timing;             // geometric mean of the rounds: the ratio of two is their speed-up
    SpeedupEstimate against{}; // compared with the first schedule
    double secondsPerRound = 0;
    std::vector<double> roundsUs{}; // empty for exact latencies
};

// From latencies by round, then by schedule; at least one round and one schedule.
[[nodiscard]] std::vector<TimingInRounds> comparedInRounds(const std::vector<std::vector<double>> &roundsUs,
                                                           double secondsPerRound = 0);

// For a device with exact latencies.
[[nodiscard]] std::vector<TimingInRounds> comparedExactly(std::span<const double> latenciesUs);

struct RoundsProgress {
    int done = 0;
    int rounds = 0;
    double secondsLeft = 0; // at the pace so far; 0 before the first round is done
};

// `count` of anything that can be timed, in the same way.
[[nodiscard]] Result<std::vector<TimingInRounds>>
measureInRounds(std::size_t count, const std::function<Result<ScheduleLatency>(std::size_t which)> &measure, int rounds,
                const std::function<void(const RoundsProgress &)> &told = {});

// `told`: called before each round. Errors: the session's; Cancelled if a stop is requested before the last round is
// done.
[[nodiscard]] Result<std::vector<TimingInRounds>>
measureSchedulesInRounds(std::span<const Schedule> schedules, DeviceSession &session, int rounds,
                         const std::stop_token &stop, const std::function<void(const RoundsProgress &)> &told = {});

// A search adds up stages, but in one go a baseline may be faster. Then the baseline's stages and times replace those
// that were found, and the record says so (Termination::BaselineKept). `times` are those of `all`, which starts with
// `baselines` baselines. Only schedules with the blocks of their search are replaced, and not if the search had to keep
// stages, which a baseline lacks. Returns for each schedule the index of the one that now stands there, itself or a
// baseline.
std::vector<std::size_t> keepFasterBaselines(std::vector<MadeSchedule> &all, std::vector<TimingInRounds> &times,
                                             std::size_t baselines, const BoundaryCost &boundary);

} // namespace stagecraft
