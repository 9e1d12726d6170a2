#pragma once

// A trace of a program as a timeline: what each thread was given when (timeline_rows.h), and how many threads
// were given to operators over time.

#include "graph/graph.h"
#include "timeline/timeline.h"

namespace stagecraft::cpu {

struct Trace;

[[nodiscard]] Timeline timelineFrom(const Trace &trace, const Graph &graph, int cores);

} // namespace stagecraft::cpu
