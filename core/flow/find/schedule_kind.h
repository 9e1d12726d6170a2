#pragma once

// The five schedules of the paper, and that of Rammer's policy.

#include "search/options.h"

#include <array>
#include <optional>
#include <string_view>

namespace stagecraft {

enum class ScheduleKind { Sequential, Greedy, IosMerge, IosParallel, IosBoth, IosAll, Wavefront };

// The five of the paper. The others have fused stages: they are made where they are asked for.
inline constexpr std::array kScheduleKinds{ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosMerge,
                                           ScheduleKind::IosParallel, ScheduleKind::IosBoth};
inline constexpr std::array kFusingKinds{ScheduleKind::IosAll, ScheduleKind::Wavefront};

[[nodiscard]] std::string_view
toString(ScheduleKind kind); // "sequential", "greedy", "ios-merge", "wavefront", ... as on the command line
[[nodiscard]] std::optional<ScheduleKind> scheduleKindFromString(std::string_view text);
[[nodiscard]] ScheduleKind kindOf(StrategySet strategies); // that is searched
[[nodiscard]] std::string_view title(ScheduleKind kind);   // "Sequential", "IOS-Both", ...

} // namespace stagecraft
