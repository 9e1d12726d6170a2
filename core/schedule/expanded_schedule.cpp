#include "schedule/expanded_schedule.h"

#include <utility>

namespace stagecraft {

Stage expandedStage(Stage stage, const ExpandedGraph &expanded)
{
    for (auto &group : stage.groups)
        group = expanded.expanded(group);
    stage.launchOrder = expanded.expanded(stage.launchOrder);
    return normalized(std::move(stage));
}

namespace {

// The operators of a unit one after another on its stream; what waits for it waits for the last.
Streams expandedStreams(const Streams &streams, const ExpandedGraph &expanded)
{
    Streams made{.count = streams.count, .launches = {}};
    std::vector<std::uint32_t> ends; // by launch before
    for (const StreamLaunch &launch : streams.launches) {
        StreamLaunch first = launch;
        for (std::uint32_t &before : first.waits)
            before = ends[before];
        if (launch.isMerged()) {
            first.operators = expanded.expanded(launch.operators);
            made.launches.push_back(std::move(first));
        } else {
            for (const OperatorId id : expanded.expanded(launch.operators)) {
                made.launches.push_back({.operators = {id}, .stream = launch.stream, .waits = {}});
                made.launches.back().waits = std::exchange(first.waits, {});
            }
        }
        ends.push_back(static_cast<std::uint32_t>(made.launches.size()) - 1);
    }
    return made;
}

} // namespace

Schedule expandedSchedule(Schedule schedule, const ExpandedGraph &expanded)
{
    for (Stage &stage : schedule.stages)
        stage = expandedStage(std::move(stage), expanded);
    if (schedule.streams)
        schedule.streams = expandedStreams(*schedule.streams, expanded);
    return schedule;
}

} // namespace stagecraft
