#include "schedule/launched_groups.h"

#include <algorithm>

namespace stagecraft {

std::vector<GroupLaunch> launchesOf(const Stage &stage)
{
    std::vector<GroupLaunch> launches;
    for (std::size_t group = 0; group < stage.groups.size(); ++group) {
        for (const OperatorId id : stage.groups[group])
            launches.push_back({id, group});
    }
    if (stage.launchOrder.empty())
        return launches;
    std::vector<GroupLaunch> ordered;
    for (const OperatorId id : stage.launchOrder)
        ordered.push_back(*std::ranges::find(launches, id, &GroupLaunch::op));
    return ordered;
}

std::vector<std::vector<OperatorId>> launchedGroups(const Stage &stage)
{
    if (stage.launchOrder.empty())
        return stage.groups;
    std::vector<std::vector<OperatorId>> groups(stage.groups.size());
    for (const GroupLaunch &launch : launchesOf(stage))
        groups[launch.group].push_back(launch.op);
    return groups;
}

} // namespace stagecraft
