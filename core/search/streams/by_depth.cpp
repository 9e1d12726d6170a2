#include "search/streams/by_depth.h"

#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

namespace stagecraft {
namespace {

constexpr std::uint32_t kUnplaced = std::numeric_limits<std::uint32_t>::max();

// By operator, the number of operators on the longest way from it to an output, itself included.
std::vector<std::size_t> depthsOf(const Graph &graph, const std::vector<OperatorId> &order)
{
    std::vector<std::size_t> depths(graph.size(), 1);
    for (const OperatorId id : std::views::reverse(order)) {
        for (const OperatorId next : graph.successors(id))
            depths[id.index()] = std::max(depths[id.index()], depths[next.index()] + 1);
    }
    return depths;
}

} // namespace

Streams byDepthStreams(const Graph &graph, std::size_t streams)
{
    const std::vector<OperatorId> order = fileOrder(graph);
    const std::vector<std::size_t> depths = depthsOf(graph, order);
    std::vector<std::uint32_t> streamOf(graph.size(), kUnplaced);
    std::vector<std::size_t> loads; // by stream
    for (const OperatorId id : order) {
        std::uint32_t &stream = streamOf[id.index()];
        if (stream == kUnplaced) { // nothing before it kept it
            if (loads.size() < streams)
                loads.push_back(0);
            // A new one has the fewest.
            stream = static_cast<std::uint32_t>(std::ranges::min_element(loads) - loads.begin());
        }
        ++loads[stream];
        const auto &next = graph.successors(id);
        const auto deepest =
            std::ranges::max_element(next, {}, [&](OperatorId other) { return depths[other.index()]; });
        if (deepest != next.end() && streamOf[deepest->index()] == kUnplaced)
            streamOf[deepest->index()] = stream;
    }
    return allocated(graph, order, streamOf);
}

} // namespace stagecraft
