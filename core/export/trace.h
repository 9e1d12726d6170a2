#pragma once

// Timelines of one or several results as a trace for other programs: one process per result, one thread per stream (for
// a CPU, per thread), one for the stages, and counters. Source: Perfetto's trace format and the Chrome trace event
// format.

#include "graph/graph.h"
#include "results/rated_result.h"
#include "timing/timeline/timeline.h"

#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

// Facts of the slices of stages. Streams have one slice, and in it only the plan. The first slice has the maxima, too.
inline constexpr std::string_view kBlockFact = "block"; // from 1
inline constexpr std::string_view kStrategyFact = "strategy";
inline constexpr std::string_view kPlanFact = "schedule"; // the stage, or the streams, as JSON as in schedule files
inline constexpr std::string_view kMaximaFact = "maxima"; // of counters, by their names in the trace, as JSON

[[nodiscard]] std::string nameInTrace(const CounterSeries &series); // "active warps (simulated)"

// The results have schedules of the graph, and timelines.

// JSON, times in microseconds.
[[nodiscard]] std::string chromeTrace(const Graph &graph, std::span<const RatedResult> results);

// Protobuf, times in nanoseconds.
[[nodiscard]] std::string perfettoTrace(const Graph &graph, std::span<const RatedResult> results);

} // namespace stagecraft
