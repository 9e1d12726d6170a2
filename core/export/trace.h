#pragma once

// Timelines of one or several results as a trace that other programs open: a process per result, a thread per stream (a
// CPU's threads), one more for the stages, counters beside them. Source: Perfetto's trace format and the Chrome trace
// event format.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "timeline/timeline.h"

#include <span>
#include <string>

namespace stagecraft {

// Of one graph; what it refers to lives as long as the call.
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
