#include "schedule/streams/stream_events.h"

#include "schedule/streams/launch_order.h"

#include <algorithm>
#include <functional>

namespace stagecraft {

std::vector<std::uint32_t> launchOfOperators(const Graph &graph, const Streams &streams)
{
    std::vector<std::uint32_t> launchOf(graph.size(), 0);
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        for (const OperatorId id : streams.launches[i].operators)
            launchOf[id.index()] = static_cast<std::uint32_t>(i);
    }
    return launchOf;
}

Streams withNeededEvents(const Graph &graph, Streams streams)
{
    const std::vector<std::uint32_t> launchOf = launchOfOperators(graph, streams);
    LaunchOrder order(streams.launches.size());
    std::vector<std::size_t> last(streams.count, LaunchOrder::kFirst);
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        StreamLaunch &launch = streams.launches[i];
        std::vector<std::uint32_t> needed; // on other streams, latest first
        for (const OperatorId id : launch.operators) {
            for (const OperatorId before : graph.predecessors(id)) {
                if (const std::uint32_t from = launchOf[before.index()];
                    from != i && streams.launches[from].stream != launch.stream)
                    needed.push_back(from);
            }
        }
        std::ranges::sort(needed, std::greater());
        launch.waits.clear();
        const std::size_t before = last[launch.stream];
        for (const std::uint32_t from : needed) {
            const auto isAfterAnyway = [&](std::size_t later) { return later == from || order.isBefore(from, later); };
            if ((before == LaunchOrder::kFirst || !isAfterAnyway(before)) &&
                std::ranges::none_of(launch.waits, isAfterAnyway))
                launch.waits.push_back(from);
        }
        std::ranges::reverse(launch.waits);
        order.append(before, launch.waits);
        last[launch.stream] = i;
    }
    return streams;
}

} // namespace stagecraft
