#pragma once

// A schedule as a person might make it: legal, but unlike a baseline or a search result.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"

namespace stagecraft::test {

// Every operator runs as late as its block allows, with two levels per stage, so that groups have several operators;
// convolutions that can be merged are merged.
[[nodiscard]] TimedSchedule handMadeSchedule(const Graph &graph, const Blocks &blocks);

} // namespace stagecraft::test
