#pragma once

// A schedule whose operators were split into parts (model/rewrite/split_operators.h). An operator that is a group by
// itself becomes a group for each part, and its join runs in a stage behind; in a longer group, parts and join take its
// place. Another stage stays as it is.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <span>
#include <vector>

namespace stagecraft {

// `became`: by operator of `before`, the chains that it is in the graph with the parts: itself, or its parts and then
// their join.
// Layouts are left out. Refuses, naming the operator: streams; one that is merged with others.
[[nodiscard]] Result<Schedule> splitStages(const Graph &before, const Schedule &schedule,
                                           std::span<const std::vector<std::vector<OperatorId>>> became);

} // namespace stagecraft
