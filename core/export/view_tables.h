#pragma once

// A model and its timelines as tables.

#include "export/table_text.h"
#include "export/trace.h"
#include "graph/block.h"
#include "graph/graph.h"

#include <span>

namespace stagecraft {

// One row per operator: operator, type, block (from 1; empty without blocks), reads (names of operators), output shape,
// FLOP and bytes moved in one execution (empty if unknown).
[[nodiscard]] Table graphTable(const Graph &graph, const Blocks &blocks, TableFor use);

// One row per kernel: schedule, stage (from 1), stream or thread (from 1), kernel, operators, start, duration,
// provenance and device.
[[nodiscard]] Table timelineTable(std::span<const TracedResult> results, TableFor use);

} // namespace stagecraft
