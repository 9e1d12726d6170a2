#pragma once

// The schedules that need no search.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"

namespace stagecraft {

// One operator per stage, in topological order.
[[nodiscard]] TimedSchedule sequentialSchedule(const Graph &graph, const Blocks &blocks);

// All ready operators of the block, repeatedly.
[[nodiscard]] TimedSchedule greedySchedule(const Graph &graph, const Blocks &blocks);

} // namespace stagecraft
