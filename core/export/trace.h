#pragma once

// Timelines of one or several results as a trace for other programs: one process per result, one thread per stream (for
// a CPU, per thread), one for the stages, and counters. Source: Perfetto's trace format and the Chrome trace event
// format.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "timing/timeline/timeline.h"

#include <span>
#include <string>

namespace stagecraft {

// All of one graph; referenced objects must outlive the call.
struct TracedResult {
    std::string name; // "IOS-Both"
    const Graph &graph;
    const Schedule &schedule;
    const Timeline &timeline;
};

// JSON, times in microseconds.
[[nodiscard]] std::string chromeTrace(std::span<const TracedResult> results);

// Protobuf, times in nanoseconds.
[[nodiscard]] std::string perfettoTrace(std::span<const TracedResult> results);

} // namespace stagecraft
