#pragma once

// Schedules of the public IOS project: the stages in its JSON format (model/ios_json.h) as a schedule of a graph.

#include "graph/block.h"
#include "graph/graph.h"
#include "model/ios_stage.h"
#include "results/files/schedule_json.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

// For a graph with the names of the file, or of the file before its convolutions were merged: what was merged is then a
// merge stage. Parts of tensors are operators here (Slice), which the format does not list: each goes to the group that
// reads it, or to a stage before it where several groups do. Verified (schedule/verify.h). Refuses, naming it, an
// operator that graph or file lacks.
[[nodiscard]] Result<TimedSchedule> iosSchedule(const std::vector<IosStage> &stages, const Graph &graph,
                                                const Blocks &blocks);

// The same with blocks of its own, as few as the blocks of the file and kMaxBlockOperators allow, where the stages
// cross the bounds of others.
[[nodiscard]] Result<ScheduleWithBlocks> iosScheduleWithBlocks(const std::vector<IosStage> &stages, const Graph &graph);

} // namespace stagecraft
