#include "gpu/plan/launch_plan.h"

#include <algorithm>

namespace stagecraft::gpu {
namespace {

// The tasks of a stage, group after group, as [begin, end).
using Range = std::pair<std::size_t, std::size_t>;

std::vector<Range> groupsFrom(std::span<const Task> tasks, std::size_t first)
{
    std::vector<Range> groups;
    for (std::size_t i = first; i < tasks.size() && tasks[i].stage == tasks[first].stage; ++i) {
        if (groups.empty() || tasks[i].group != tasks[groups.back().first].group)
            groups.emplace_back(i, i);
        groups.back().second = i + 1;
    }
    return groups;
}

// Task and place of its group: as the stage states, else alternating between the groups.
std::vector<std::pair<std::size_t, std::size_t>> inTurns(std::span<const Task> tasks, const std::vector<Range> &groups)
{
    std::vector<std::pair<std::size_t, std::size_t>> order;
    if (tasks[groups.front().first].turn) {
        for (std::size_t group = 0; group < groups.size(); ++group) {
            for (std::size_t task = groups[group].first; task < groups[group].second; ++task)
                order.emplace_back(task, group);
        }
        std::ranges::stable_sort(order, {}, [&](const auto &launch) { return tasks[launch.first].turn; });
        return order;
    }
    std::size_t longest = 0;
    for (const Range &group : groups)
        longest = std::max(longest, group.second - group.first);
    for (std::size_t turn = 0; turn < longest; ++turn) {
        for (std::size_t group = 0; group < groups.size(); ++group) {
            if (groups[group].first + turn < groups[group].second)
                order.emplace_back(groups[group].first + turn, group);
        }
    }
    return order;
}

} // namespace

LaunchPlan planLaunches(std::span<const Task> tasks, Mode mode)
{
    using Kind = LaunchStep::Kind;
    LaunchPlan plan;
    std::size_t groupsBefore = 1;
    for (std::size_t next = 0; next < tasks.size();) {
        const std::vector<Range> groups = groupsFrom(tasks, next);
        const std::size_t count = groups.size();
        plan.streams = std::max(plan.streams, count);
        if (mode == Mode::Streams && next > 0 && std::max(count, groupsBefore) > 1)
            plan.steps.push_back({Kind::Synchronize, 0, 0});
        const bool branches = mode == Mode::Graph && count > 1;
        if (branches) {
            plan.events = std::max(plan.events, count);
            plan.steps.push_back({Kind::Record, 0, 0});
            for (std::size_t stream = 1; stream < count; ++stream)
                plan.steps.push_back({Kind::Wait, stream, 0});
        }
        for (const auto &[task, stream] : inTurns(tasks, groups))
            plan.steps.push_back({Kind::Run, stream, task});
        for (std::size_t stream = 1; branches && stream < count; ++stream) {
            plan.steps.push_back({Kind::Record, stream, stream});
            plan.steps.push_back({Kind::Wait, 0, stream});
        }
        next = groups.back().second;
        groupsBefore = count;
    }
    const bool lone = plan.streams == 1 && (tasks.empty() || tasks.front().stage == tasks.back().stage);
    if (mode == Mode::Streams && !lone)
        plan.steps.push_back({Kind::Synchronize, 0, 0});
    return plan;
}

} // namespace stagecraft::gpu
