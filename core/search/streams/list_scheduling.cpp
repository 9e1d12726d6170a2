#include "search/streams/list_scheduling.h"

#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace stagecraft {

std::vector<double> longestPathsUs(const Graph &graph, std::span<const double> latenciesUs)
{
    std::vector<double> pathUs(graph.size(), 0);
    for (std::size_t i = graph.size(); i-- > 0;) {
        for (const OperatorId next : graph.successors(OperatorId::fromIndex(i)))
            pathUs[i] = std::max(pathUs[i], pathUs[next.index()]);
        pathUs[i] += latenciesUs[i];
    }
    return pathUs;
}

Streams listStreams(const Graph &graph, std::span<const double> latenciesUs, std::span<const double> priorities,
                    std::size_t streams)
{
    struct Stream {
        double freeUs = 0;
        OperatorId last{};
    };
    std::vector<Stream> all(std::max<std::size_t>(1, streams));
    std::vector<double> endUs(graph.size(), 0);
    std::vector<std::uint32_t> streamOf(graph.size(), 0);
    std::vector<std::size_t> missing(graph.size());
    std::vector<OperatorId> ready;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        missing[i] = graph.predecessors(OperatorId::fromIndex(i)).size();
        if (missing[i] == 0)
            ready.push_back(OperatorId::fromIndex(i));
    }
    std::vector<OperatorId> order;
    while (!ready.empty()) {
        const auto chosen = std::ranges::max_element(ready, [&](OperatorId a, OperatorId b) {
            const double left = priorities[a.index()];
            const double right = priorities[b.index()];
            return left != right ? left < right : b < a;
        });
        const OperatorId id = *chosen;
        ready.erase(chosen);
        double readyUs = 0;
        OperatorId latest{};
        for (const OperatorId before : graph.predecessors(id)) {
            if (!latest.isValid() || endUs[before.index()] > readyUs)
                latest = before;
            readyUs = std::max(readyUs, endUs[before.index()]);
        }
        std::size_t best = 0;
        double bestUs = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double startUs = std::max(all[i].freeUs, readyUs);
            const bool isBehindIt = latest.isValid() && all[i].last == latest;
            if (startUs < bestUs || (startUs == bestUs && isBehindIt)) {
                best = i;
                bestUs = startUs;
            }
        }
        endUs[id.index()] = bestUs + latenciesUs[id.index()];
        all[best] = {endUs[id.index()], id};
        streamOf[id.index()] = static_cast<std::uint32_t>(best);
        order.push_back(id);
        for (const OperatorId next : graph.successors(id)) {
            if (--missing[next.index()] == 0)
                ready.push_back(next);
        }
    }
    return allocated(graph, order, streamOf);
}

Streams roundRobinStreams(const Graph &graph, std::span<const double> latenciesUs, std::size_t streams)
{
    const std::vector<double> pathUs = longestPathsUs(graph, latenciesUs);
    const auto isShorter = [&](OperatorId a, OperatorId b) {
        return pathUs[a.index()] != pathUs[b.index()] ? pathUs[a.index()] < pathUs[b.index()] : b < a;
    };
    const std::vector<OperatorId> order = fileOrder(graph);
    std::vector<bool> isOnPath(graph.size(), false);
    std::vector<OperatorId> next;
    for (const OperatorId id : order) {
        if (graph.predecessors(id).empty())
            next.push_back(id);
    }
    while (!next.empty()) {
        const OperatorId id = *std::ranges::max_element(next, isShorter);
        isOnPath[id.index()] = true;
        const auto &after = graph.successors(id);
        next.assign(after.begin(), after.end());
    }
    const std::size_t others = std::max<std::size_t>(1, streams) - 1;
    std::size_t turn = 0;
    std::vector<std::uint32_t> streamOf(graph.size(), 0);
    for (const OperatorId id : order) {
        if (!isOnPath[id.index()] && others > 0)
            streamOf[id.index()] = static_cast<std::uint32_t>(1 + turn++ % others);
    }
    return allocated(graph, order, streamOf);
}

} // namespace stagecraft
