#pragma once

// A launch plan without barriers between stages: a task waits for those before it that share memory with it, one of the
// two writing, and for nothing else. Groups and their order stay; what the barriers of a graph order, m x n edges
// between m and n groups, is left to the edges that results depend on.

#include "gpu/plan/accesses.h"
#include "gpu/plan/launch_plan.h"

#include <span>
#include <vector>

namespace stagecraft::gpu {

// `tasks` ascend by stage, then group; tasks of a group run in order, and groups of a stage share no memory.
// `accesses`: of each task. All work follows what was on stream 0 before, and stream 0 follows all work.
[[nodiscard]] LaunchPlan planDataflow(std::span<const Task> tasks, std::span<const std::vector<Access>> accesses);

} // namespace stagecraft::gpu
