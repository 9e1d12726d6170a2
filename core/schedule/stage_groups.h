#pragma once

// The one way from operators to a stage: groups are not chosen, they follow from what reads what.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// In normal form. Concurrent execution: the groups are the weakly connected components. Merge: one group for each
// operator; of a single operator there is nothing to merge, so it runs concurrently.
[[nodiscard]] Stage stageOf(const Graph &graph, std::size_t block, std::vector<OperatorId> operators,
                            Strategy strategy);

// Ascending.
[[nodiscard]] std::vector<OperatorId> operatorsOf(const Stage &stage);

[[nodiscard]] bool shareOperators(const Stage &one, const Stage &other);

// Per operator of the graph: the index of its stage.
[[nodiscard]] std::vector<std::size_t> stageOfOperators(const Graph &graph, std::span<const Stage> stages);

// Of operators that become a stage of their own: they merge where they were merged with each other before.
[[nodiscard]] Strategy strategyApart(std::span<const Stage> stages, std::span<const std::size_t> stageOf,
                                     std::span<const OperatorId> operators);

} // namespace stagecraft
