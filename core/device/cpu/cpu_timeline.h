#pragma once

// Converts a program's trace to a timeline: which thread ran what when (timeline_rows.h), and how many threads were
// given to operators over time.

#include "graph/graph.h"
#include "timing/timeline/timeline.h"

namespace stagecraft::cpu {

struct Trace;

[[nodiscard]] Timeline timelineFrom(const Trace &trace, const Graph &graph, int cores);

} // namespace stagecraft::cpu
