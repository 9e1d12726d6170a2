#pragma once

// Every schedule passes this check before anyone else sees it, whatever made it (search, edit, file).

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <span>

namespace stagecraft {

// Checks: every operator exactly once; blocks in order; what a stage reads was produced by an earlier stage or earlier
// in the same group; groups are independent of each other and weakly connected; a merge stage obeys the merge rules
// (schedule/merge.h); layouts, if any, are of images that the graph has. The error names stage and operator, or the
// tensor. Streams instead of stages: schedule/streams/verify_streams.h; they have no layouts.
[[nodiscard]] Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const Schedule &schedule);
// And latencies, if any, are one per stage and not negative.
[[nodiscard]] Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const TimedSchedule &schedule);

// The same without blocks: what a device needs to run a schedule, or a list of stages.
[[nodiscard]] Result<void> verifyRunnable(const Graph &graph, const Schedule &schedule);
[[nodiscard]] Result<void> verifyStages(const Graph &graph, std::span<const Stage> stages);

// The same for one stage, as far as it can be checked alone.
[[nodiscard]] Result<void> verifyStage(const Graph &graph, const Stage &stage);

} // namespace stagecraft
