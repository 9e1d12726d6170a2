#pragma once

// A schedule of the same graph, cut into other blocks.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

namespace stagecraft {

// The same stages, in the order of the blocks; where that is another order, only the latencies of the stages stay. What
// a search proved about it was about the blocks before, and goes. Streams know no blocks: they stay as they are.
// Refuses, naming the operators, a stage that is in two blocks.
[[nodiscard]] Result<TimedSchedule> movedToBlocks(const Graph &graph, const Blocks &blocks, TimedSchedule schedule);

} // namespace stagecraft
