#pragma once

// The five schedules of the paper, as they are found for a model.

#include "schedule/schedule.h"
#include "search/options.h"
#include "search/result.h"
#include "support/result.h"
#include "timing/statistics/rounds.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class ScheduleKind { Sequential, Greedy, IosMerge, IosParallel, IosBoth };

inline constexpr std::array kScheduleKinds{ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosMerge,
                                           ScheduleKind::IosParallel, ScheduleKind::IosBoth};

[[nodiscard]] std::string_view
toString(ScheduleKind kind); // "sequential", "greedy", "ios-merge", ... as on the command line
[[nodiscard]] ScheduleKind kindOf(StrategySet strategies); // that is searched
[[nodiscard]] std::string_view title(ScheduleKind kind);   // "Sequential", "IOS-Both", ...

// The found schedule and the baselines, timed again in rounds: the least of many noisy latencies is too good.
struct BaselinesInRounds {
    std::vector<ScheduleKind> baselines; // those that could be measured
    std::vector<TimingInRounds> times;   // of the baselines, then of the found schedule
    int rounds = 0;
    std::optional<ScheduleKind> kept; // the baseline that is faster than the found schedule, and replaces it
};

struct FoundSchedule {
    Schedule schedule;
    std::vector<BlockSearch> blocks;             // from a search; empty for baselines
    std::optional<Error> refusal = std::nullopt; // from a search: why a stage was left out
    std::optional<BaselinesInRounds> against = std::nullopt;
};

} // namespace stagecraft
