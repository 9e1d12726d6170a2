#pragma once

// Everything about a program that needs no GPU: tasks, their memory in one arena, constants, launch order. A program of
// all stages of a schedule executes the model; a program of one stage is used to measure that stage.

#include "gpu/plan/launch_plan.h"
#include "gpu/plan/lowering.h"

namespace stagecraft::gpu {

struct ProgramPlan {
    Placement placement;
    MemoryPlan memory;
    std::vector<Constant> constants;
    std::vector<Task> tasks; // ascending by stage, then group
    LaunchPlan launches;

    // Where a view, or a workspace, begins in the arena.
    [[nodiscard]] std::size_t arenaOffset(const View &view, Precision precision) const;
    [[nodiscard]] std::size_t arenaOffset(const Workspace &workspace) const;
};

// Errors name the operator.
[[nodiscard]] Result<ProgramPlan> planProgram(const Graph &graph, const ConcatAliases &aliases,
                                              std::span<const Stage> stages, const GpuOptions &options,
                                              const WorkspaceSize &workspaceSize);

} // namespace stagecraft::gpu
