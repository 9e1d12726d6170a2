#pragma once

// A trace of a program as a timeline: spans per thread, and how many threads are at work over time.

#include "graph/graph.h"
#include "timeline/timeline.h"

namespace stagecraft::cpu {

struct Trace;

[[nodiscard]] Timeline timelineFrom(const Trace &trace, const Graph &graph, int cores);

} // namespace stagecraft::cpu
