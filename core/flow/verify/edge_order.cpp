#include "flow/verify/edge_order.h"

#include "support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

std::string countText(std::size_t count, const char *noun)
{
    return counted(static_cast<std::int64_t>(count), noun);
}

} // namespace

KernelsOfOperators kernelsOfOperators(const Graph &graph, std::span<const std::uint32_t> kernels,
                                      const KernelMappings &mappings)
{
    KernelsOfOperators found(graph.size());
    for (const std::uint32_t kernel : kernels) {
        if (!mappings[kernel] || mappings[kernel]->by == MappedBy::CopyFor)
            continue;
        for (const OperatorId id : mappings[kernel]->operators)
            found[id.index()].push_back(kernel);
    }
    return found;
}

std::vector<ObservedEdge> observedEdges(const Graph &graph, const KernelsOfOperators &kernels)
{
    std::vector<ObservedEdge> edges;
    std::vector<std::set<OperatorId>> sources(graph.size()); // with kernels, of those that have none
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        std::set<OperatorId> from;
        for (const OperatorId before : graph.predecessors(id)) {
            if (kernels[before.index()].empty())
                from.insert(sources[before.index()].begin(), sources[before.index()].end());
            else
                from.insert(before);
        }
        if (kernels[i].empty()) {
            sources[i] = std::move(from);
            continue;
        }
        for (const OperatorId before : from) {
            const auto &others = kernels[before.index()];
            const bool isTogether = std::ranges::any_of(
                kernels[i], [&](std::uint32_t kernel) { return std::ranges::count(others, kernel) > 0; });
            if (!isTogether)
                edges.push_back({before, id});
        }
    }
    return edges;
}

std::vector<ObservedEdge> brokenEdges(const std::vector<ObservedEdge> &edges, const KernelsOfOperators &kernels,
                                      const std::function<bool(std::uint32_t, std::uint32_t)> &isBefore)
{
    std::vector<ObservedEdge> broken;
    std::ranges::copy_if(edges, std::back_inserter(broken), [&](const ObservedEdge &edge) {
        return std::ranges::any_of(kernels[edge.from.index()], [&](std::uint32_t first) {
            return std::ranges::any_of(kernels[edge.to.index()],
                                       [&](std::uint32_t second) { return !isBefore(first, second); });
        });
    });
    return broken;
}

Result<void> requireMapped(const Model &model, const KernelMappings &mappings)
{
    if (std::ranges::any_of(mappings, [](const auto &mapping) { return mapping.has_value(); }))
        return {};
    return refused(
        fmt::format("it has {}, and none fits an operator of {}: nothing can be checked",
                    countText(mappings.size(), "kernel"), model.name),
        "Name the model that ran; kernels are told by the names of operators, or by type and order where there "
        "are as many as operators");
}

std::size_t mappedOperators(const KernelsOfOperators &kernels)
{
    return static_cast<std::size_t>(std::ranges::count_if(kernels, [](const auto &own) { return !own.empty(); }));
}

std::vector<std::string> mappingGaps(const KernelsOfOperators &kernels, std::span<const std::uint32_t> launched,
                                     const KernelMappings &mappings)
{
    const auto kernelsThat = [&](auto are) { return static_cast<std::size_t>(std::ranges::count_if(launched, are)); };
    const std::size_t unmapped = kernelsThat([&](std::uint32_t kernel) { return !mappings[kernel]; });
    const std::size_t ordered = kernelsThat([&](std::uint32_t kernel) {
        return mappings[kernel] &&
               (mappings[kernel]->by == MappedBy::TypeShapeOrder || mappings[kernel]->by == MappedBy::TypeOrder);
    });
    std::vector<std::string> gaps;
    if (const std::size_t without = kernels.size() - mappedOperators(kernels); without > 0)
        gaps.push_back(fmt::format("the waits of {}: no kernel is known to be theirs", countText(without, "operator")));
    if (unmapped > 0)
        gaps.push_back(fmt::format("the operators of {}: no name fits", countText(unmapped, "kernel")));
    if (ordered > 0)
        gaps.push_back(
            fmt::format("the operators of {} for sure: type and order told them", countText(ordered, "kernel")));
    return gaps;
}

} // namespace stagecraft
