#include "search/streams/opara.h"

#include "search/streams/allocated.h"

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

std::vector<std::uint32_t> streamsByFirstReader(const Graph &graph)
{
    std::vector<std::uint32_t> streamOf(graph.size());
    std::vector<bool> isContinued(graph.size(), false);
    std::uint32_t streams = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto &before = graph.predecessors(OperatorId::fromIndex(i));
        const auto free = std::ranges::find_if(before, [&](OperatorId id) { return !isContinued[id.index()]; });
        if (free == before.end()) {
            streamOf[i] = streams++;
            continue;
        }
        isContinued[free->index()] = true;
        streamOf[i] = streamOf[free->index()];
    }
    return streamOf;
}

std::vector<OperatorId> alternating(const Graph &graph, std::span<const OparaDemand> demands)
{
    std::array<std::vector<OperatorId>, 2> ready; // computing, accessing memory
    const auto add = [&](OperatorId id) { ready[demands[id.index()].isMemoryBound ? 1 : 0].push_back(id); };
    std::vector<std::size_t> missing(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        missing[i] = graph.predecessors(OperatorId::fromIndex(i)).size();
        if (missing[i] == 0)
            add(OperatorId::fromIndex(i));
    }
    std::vector<OperatorId> order;
    order.reserve(graph.size());
    for (std::size_t turn = 0; !ready[0].empty() || !ready[1].empty(); ++turn) {
        const bool areBoth = !ready[0].empty() && !ready[1].empty();
        auto &from = areBoth ? ready[turn % 2] : ready[ready[0].empty() ? 1 : 0];
        const auto least =
            std::ranges::min_element(from, {}, [&](OperatorId id) { return demands[id.index()].sharedBytesPerBlock; });
        const OperatorId id = *least;
        from.erase(least);
        order.push_back(id);
        for (const OperatorId next : graph.successors(id)) {
            if (--missing[next.index()] == 0)
                add(next);
        }
    }
    return order;
}

} // namespace

bool isMemoryBoundFor(const Operator &op)
{
    using enum OperatorKind;
    constexpr std::array kComputing{Conv, SepConv, Gemm, ConvTranspose, Fused};
    return std::ranges::find(kComputing, op.kind) == kComputing.end();
}

Streams oparaStreams(const Graph &graph, std::span<const OparaDemand> demands)
{
    return allocated(graph, alternating(graph, demands), streamsByFirstReader(graph));
}

} // namespace stagecraft
