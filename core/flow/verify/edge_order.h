#pragma once

// The edges of a model against the order in which kernels ran, or have to run.

#include "flow/profile/kernel_order.h"
#include "graph/graph.h"
#include "model/model.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// By operator. Copies for an operator are not among them: they may run before what it reads is complete.
using KernelsOfOperators = std::vector<std::vector<std::uint32_t>>;
[[nodiscard]] KernelsOfOperators kernelsOfOperators(const Graph &graph, std::span<const std::uint32_t> kernels,
                                                    const KernelMappings &mappings);

struct ObservedEdge {
    OperatorId from;
    OperatorId to; // reads what `from` made, or what operators without kernels made of it

    friend auto operator<=>(const ObservedEdge &, const ObservedEdge &) = default;
};

// Between operators with kernels, none of which computes both.
[[nodiscard]] std::vector<ObservedEdge> observedEdges(const Graph &graph, const KernelsOfOperators &kernels);

// Those of the edges along which some kernel may begin before one that it needs has ended. `isBefore`: of two kernels.
[[nodiscard]] std::vector<ObservedEdge> brokenEdges(const std::vector<ObservedEdge> &edges,
                                                    const KernelsOfOperators &kernels,
                                                    const std::function<bool(std::uint32_t, std::uint32_t)> &isBefore);

// InvalidInput, naming the model: no kernel was told to be of an operator, so that nothing can be checked.
[[nodiscard]] Result<void> requireMapped(const Model &model, const KernelMappings &mappings);

// Operators with kernels.
[[nodiscard]] std::size_t mappedOperators(const KernelsOfOperators &kernels);
// What the mapping leaves open: operators without kernels, kernels without operators, kernels that were told by their
// order alone. A sentence each, without a full stop.
[[nodiscard]] std::vector<std::string>
mappingGaps(const KernelsOfOperators &kernels, std::span<const std::uint32_t> launched, const KernelMappings &mappings);

} // namespace stagecraft
