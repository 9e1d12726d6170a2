#pragma once

// Sets of operators along the edges of a graph, as a mark per operator.

#include "graph/graph.h"

#include <vector>

namespace stagecraft {

[[nodiscard]] std::vector<bool> ancestorsOf(const Graph &graph, OperatorId op); // without itself
[[nodiscard]] std::vector<bool> descendantsOf(const Graph &graph, OperatorId op);
// All operators on paths from one to the other, in whichever direction there are any, with both ends; none: all false.
[[nodiscard]] std::vector<bool> pathsBetween(const Graph &graph, OperatorId a, OperatorId b);

} // namespace stagecraft
