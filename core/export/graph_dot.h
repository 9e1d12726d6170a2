#pragma once

// The graph of schedule units in Graphviz's DOT language, with one cluster per stage of a schedule.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"

#include <string>

namespace stagecraft {

// `schedule`: null for the graph alone. All names are escaped so that Graphviz can read them.
[[nodiscard]] std::string graphDot(const Graph &graph, const TimedSchedule *schedule);

} // namespace stagecraft
