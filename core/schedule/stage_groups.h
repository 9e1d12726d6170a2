#pragma once

// The one way from operators to a stage: groups are not chosen, they follow from what reads what.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <vector>

namespace stagecraft {

// In normal form. Concurrent execution: the groups are the weakly connected components. Merge: one group for each
// operator; of a single operator there is nothing to merge, so it runs concurrently.
[[nodiscard]] Stage stageOf(const Graph &graph, std::size_t block, std::vector<OperatorId> operators,
                            Strategy strategy);

// Ascending.
[[nodiscard]] std::vector<OperatorId> operatorsOf(const Stage &stage);

} // namespace stagecraft
