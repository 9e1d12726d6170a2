#pragma once

// Everything about a program that needs no GPU: the plan of its stages or streams, the kernels and calls that they
// become, constants and launch order.

#include "gpu/plan/launch_plan.h"
#include "gpu/plan/lowering.h"

namespace stagecraft::gpu {

struct ProgramPlan {
    plan::Plan plan;
    std::vector<Constant> constants;
    std::vector<Task> tasks; // ascending by stage, then group; of streams: by launch, which is their stage
    LaunchPlan launches;

    [[nodiscard]] const View &tensor(TensorId tensor) const { return *plan.tensors[tensor.index()]; }
    // Where a view, or a workspace, begins in the arena.
    [[nodiscard]] std::size_t arenaOffset(const View &view, Precision precision) const;
    [[nodiscard]] std::size_t arenaOffset(const Workspace &workspace) const;
};

// The schedule passed its verifier, or has single stages to measure. Errors name the operator.
[[nodiscard]] Result<ProgramPlan> planProgram(const Graph &graph, const plan::TensorPlan &tensors,
                                              const Schedule &schedule, const GpuOptions &options,
                                              const WorkspaceSize &workspaceSize);

} // namespace stagecraft::gpu
