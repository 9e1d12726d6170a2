#include "search/streams/allocated.h"

#include "schedule/streams/stream_events.h"

#include <map>
#include <utility>

namespace stagecraft {

Streams allocated(const Graph &graph, std::vector<StreamLaunch> launches)
{
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (StreamLaunch &launch : launches)
        launch.stream = numbers.try_emplace(launch.stream, static_cast<std::uint32_t>(numbers.size())).first->second;
    return withNeededEvents(graph, {static_cast<std::uint32_t>(numbers.size()), std::move(launches)});
}

Streams allocated(const Graph &graph, std::span<const OperatorId> order, std::span<const std::uint32_t> streamOf)
{
    std::vector<StreamLaunch> launches;
    launches.reserve(order.size());
    for (const OperatorId id : order)
        launches.push_back({{id}, streamOf[id.index()]});
    return allocated(graph, std::move(launches));
}

std::vector<OperatorId> fileOrder(const Graph &graph)
{
    std::vector<OperatorId> order;
    order.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i)
        order.push_back(OperatorId::fromIndex(i));
    return order;
}

} // namespace stagecraft
