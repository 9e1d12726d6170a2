#include "flow/find/schedule_kind.h"

#include <algorithm>

namespace stagecraft {

std::string_view toString(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::Sequential: return "sequential";
    case ScheduleKind::Greedy: return "greedy";
    case ScheduleKind::IosMerge: return "ios-merge";
    case ScheduleKind::IosParallel: return "ios-parallel";
    case ScheduleKind::IosBoth: return "ios-both";
    case ScheduleKind::IosAll: return "ios-all";
    case ScheduleKind::Wavefront: return "wavefront";
    }
    return "";
}

std::string_view title(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::Sequential: return "Sequential";
    case ScheduleKind::Greedy: return "Greedy";
    case ScheduleKind::IosMerge: return "IOS-Merge";
    case ScheduleKind::IosParallel: return "IOS-Parallel";
    case ScheduleKind::IosBoth: return "IOS-Both";
    case ScheduleKind::IosAll: return "IOS-All";
    case ScheduleKind::Wavefront: return "Wavefront";
    }
    return "";
}

std::optional<ScheduleKind> scheduleKindFromString(std::string_view text)
{
    const auto isIt = [&](ScheduleKind kind) { return toString(kind) == text; };
    for (const ScheduleKind kind : kFusingKinds) {
        if (isIt(kind))
            return kind;
    }
    const auto found = std::ranges::find_if(kScheduleKinds, isIt);
    return found == kScheduleKinds.end() ? std::nullopt : std::optional(*found);
}

ScheduleKind kindOf(StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Parallel: return ScheduleKind::IosParallel;
    case StrategySet::Merge: return ScheduleKind::IosMerge;
    case StrategySet::All: return ScheduleKind::IosAll;
    case StrategySet::Both: break;
    }
    return ScheduleKind::IosBoth;
}

} // namespace stagecraft
