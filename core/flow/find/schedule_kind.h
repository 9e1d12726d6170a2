#pragma once

// The five schedules of the paper.

#include "search/options.h"

#include <array>
#include <string_view>

namespace stagecraft {

enum class ScheduleKind { Sequential, Greedy, IosMerge, IosParallel, IosBoth };

inline constexpr std::array kScheduleKinds{ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosMerge,
                                           ScheduleKind::IosParallel, ScheduleKind::IosBoth};

[[nodiscard]] std::string_view
toString(ScheduleKind kind); // "sequential", "greedy", "ios-merge", ... as on the command line
[[nodiscard]] ScheduleKind kindOf(StrategySet strategies); // that is searched
[[nodiscard]] std::string_view title(ScheduleKind kind);   // "Sequential", "IOS-Both", ...

} // namespace stagecraft
