#pragma once

// A model and its timelines as tables.

#include "export/table_text.h"
#include "graph/block.h"
#include "graph/graph.h"
#include "results/rated_result.h"
#include "schedule/compare/schedule_time_parts.h"

#include <optional>
#include <span>
#include <string>

namespace stagecraft {

// One row per operator: operator, type, block (from 1; empty without blocks), reads (names of operators), output shape,
// FLOP and bytes moved in one execution (empty if unknown).
[[nodiscard]] Table graphTable(const Graph &graph, const Blocks &blocks, TableFor use);

// One row per kernel of the timelines of the graph: schedule, stage (from 1), stream or thread (from 1), kernel,
// operators, start, duration, provenance and device.
[[nodiscard]] Table timelineTable(const Graph &graph, std::span<const RatedResult> results, TableFor use);

// Where the time goes, one row per part and result with a timeline: schedule, part, time, change against the first,
// provenance of the timeline and device. The times of a result add up to its latency.
[[nodiscard]] Table timePartsTable(const std::string &model, std::span<const RatedResult> results, TableFor use);

// The same of one result; empty: it has no timeline or no latency.
[[nodiscard]] std::optional<ScheduleTimeParts> timePartsOf(const RatedResult &result);

} // namespace stagecraft
