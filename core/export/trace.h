#pragma once

// Timelines of one or several results as a trace for other programs: one process per result, one thread per stream (for
// a CPU, per thread), one for the stages, and counters. Source: Perfetto's trace format and the Chrome trace event
// format.

#include "graph/graph.h"
#include "results/rated_result.h"

#include <span>
#include <string>

namespace stagecraft {

// The results have schedules of the graph, and timelines.

// JSON, times in microseconds.
[[nodiscard]] std::string chromeTrace(const Graph &graph, std::span<const RatedResult> results);

// Protobuf, times in nanoseconds.
[[nodiscard]] std::string perfettoTrace(const Graph &graph, std::span<const RatedResult> results);

} // namespace stagecraft
