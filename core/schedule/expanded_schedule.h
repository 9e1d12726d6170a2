#pragma once

// A schedule of units that consist of several operators (graph/expanded_graph.h) as one of these operators: each group
// runs the operators of its units.

#include "graph/expanded_graph.h"
#include "schedule/schedule.h"

namespace stagecraft {

[[nodiscard]] Stage expandedStage(Stage stage, const ExpandedGraph &expanded);
[[nodiscard]] Schedule expandedSchedule(Schedule schedule, const ExpandedGraph &expanded);

} // namespace stagecraft
