#pragma once

// A schedule as a person might compose it: legal, and unlike what a baseline or the search finds.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

namespace stagecraft::test {

// Every operator runs as late as its block allows, two levels to a stage, so that groups are several operators long;
// convolutions that may be merged are.
[[nodiscard]] Schedule handMadeSchedule(const Graph &graph, const Blocks &blocks);

} // namespace stagecraft::test
