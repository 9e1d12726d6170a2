#pragma once

// Makes stages from operators: groups are not chosen, they follow from the edges.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// The stage in normal form. Concurrent execution and fused: groups are the weakly connected components. Merge: one
// group per operator; a single operator runs concurrently instead.
[[nodiscard]] Stage stageOf(const Graph &graph, std::size_t block, std::vector<OperatorId> operators,
                            Strategy strategy);

// The operators of the stage, ascending.
[[nodiscard]] std::vector<OperatorId> operatorsOf(const Stage &stage);

[[nodiscard]] bool shareOperators(const Stage &one, const Stage &other);

// For every operator of the graph, the index of its stage.
[[nodiscard]] std::vector<std::size_t> stageOfOperators(const Graph &graph, std::span<const Stage> stages);

// The strategy of operators that become a stage: merge if they were merged with each other before.
[[nodiscard]] Strategy strategyApart(std::span<const Stage> stages, std::span<const std::size_t> stageOf,
                                     std::span<const OperatorId> operators);

} // namespace stagecraft
