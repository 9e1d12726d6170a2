#pragma once

// The graph of schedule units in the DOT language of Graphviz, each stage of a schedule a cluster.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// `schedule`: null for the graph alone. Any name is written so that Graphviz reads it back.
[[nodiscard]] std::string graphDot(const Graph &graph, const Schedule *schedule);

} // namespace stagecraft
