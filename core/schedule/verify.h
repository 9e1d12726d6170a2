#pragma once

// The one gate every schedule passes before anyone else sees it, whoever made it (search, edit, file).

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <span>

namespace stagecraft {

// Checks: every operator exactly once; blocks in order; what a stage reads was produced by an earlier stage or earlier
// in the same group; groups are independent of each other and weakly connected; a merge stage obeys the merge rules
// (schedule/merge.h); latencies, if any, one per stage and not negative. The error names stage and operator.
[[nodiscard]] Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const Schedule &schedule);

// The same of stages in their order, whatever blocks they belong to: what a device needs that is to run them.
[[nodiscard]] Result<void> verifyStages(const Graph &graph, std::span<const Stage> stages);

// The same of one stage, as far as it can be told without the others.
[[nodiscard]] Result<void> verifyStage(const Graph &graph, const Stage &stage);

} // namespace stagecraft
