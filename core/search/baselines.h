#pragma once

// The schedules that need no search.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/stage_latency_source.h"
#include "support/result.h"

#include <stop_token>

namespace stagecraft {

// One operator per stage, in topological order.
[[nodiscard]] Schedule sequentialSchedule(const Graph &graph, const Blocks &blocks);

// All ready operators of the block, repeatedly.
[[nodiscard]] Schedule greedySchedule(const Graph &graph, const Blocks &blocks);

// Asks for every stage; fills stageTimings and timing.
[[nodiscard]] Result<void> fillLatencies(Schedule &schedule, StageLatencySource &source, std::stop_token stop = {});

} // namespace stagecraft
