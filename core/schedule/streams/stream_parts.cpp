#include "schedule/streams/stream_parts.h"

#include "schedule/streams/launch_order.h"

#include <algorithm>
#include <optional>

namespace stagecraft {
namespace {

std::size_t streamsIn(const StreamPart &part, const Streams &streams)
{
    std::vector<bool> isUsed(streams.count, false);
    for (const std::size_t launch : part.launches)
        isUsed[streams.launches[launch].stream] = true;
    return static_cast<std::size_t>(std::ranges::count(isUsed, true));
}

} // namespace

std::vector<StreamPart> partsOf(const Streams &streams)
{
    const LaunchOrder order(streams);
    const std::size_t size = streams.launches.size();
    std::vector<StreamPart> parts;
    for (std::size_t i = 0; i < size; ++i) {
        bool hasOthers = false;
        for (std::size_t j = 0; j < size && !hasOthers; ++j)
            hasOthers = i != j && !order.isBefore(i, j) && !order.isBefore(j, i);
        if (parts.empty() || parts.back().isSideBySide != hasOthers)
            parts.push_back({{}, hasOthers, 1});
        parts.back().launches.push_back(i);
    }
    for (StreamPart &part : parts)
        part.streams = streamsIn(part, streams);
    return parts;
}

std::vector<std::vector<std::uint32_t>> waitersIn(const StreamPart &part, const Streams &streams)
{
    const std::size_t first = part.launches.front();
    std::vector<std::vector<std::uint32_t>> waiters(part.launches.size());
    std::vector<std::optional<std::size_t>> last(streams.count); // on each stream
    for (std::size_t i = 0; i < part.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[part.launches[i]];
        if (last[launch.stream])
            waiters[*last[launch.stream]].push_back(static_cast<std::uint32_t>(i));
        last[launch.stream] = i;
        for (const std::uint32_t before : launch.waits) {
            if (before >= first)
                waiters[before - first].push_back(static_cast<std::uint32_t>(i));
        }
    }
    return waiters;
}

std::vector<Stage> launchesAsStages(const Streams &streams)
{
    std::vector<Stage> stages;
    for (const StreamLaunch &launch : streams.launches) {
        Stage &stage = stages.emplace_back();
        if (launch.isMerged())
            stage.strategy = Strategy::Merge;
        for (const OperatorId id : launch.operators)
            stage.groups.push_back({id});
    }
    return stages;
}

} // namespace stagecraft
