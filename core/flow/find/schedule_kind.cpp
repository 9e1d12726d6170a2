#include "flow/find/schedule_kind.h"

namespace stagecraft {

std::string_view toString(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::Sequential: return "sequential";
    case ScheduleKind::Greedy: return "greedy";
    case ScheduleKind::IosMerge: return "ios-merge";
    case ScheduleKind::IosParallel: return "ios-parallel";
    case ScheduleKind::IosBoth: return "ios-both";
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
    }
    return "";
}

ScheduleKind kindOf(StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Parallel: return ScheduleKind::IosParallel;
    case StrategySet::Merge: return ScheduleKind::IosMerge;
    case StrategySet::Both: break;
    }
    return ScheduleKind::IosBoth;
}

} // namespace stagecraft
