#pragma once

// What a schedule needs of memory when it runs once: buffers of tensors and workspace, how long each is needed, and
// where it lies in one arena. Inputs of the graph live from the start to their last reader, outputs to the end. Bytes
// are padded to the alignment.

#include "plan/plan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft::plan {

struct MemoryBuffer {
    BufferLife life;               // bytes are padded
    std::size_t offset = 0;        // in the arena
    std::vector<TensorId> tensors; // those that lie in it, by id; none: workspace of a group
};

struct MemoryUse {
    std::size_t stages = 0;
    std::size_t alignment = 1;
    std::size_t arenaBytes = 0;
    std::vector<MemoryBuffer> buffers; // none is empty

    // Of all buffers that are live in each stage; no arena can be smaller than the largest.
    [[nodiscard]] std::vector<std::size_t> liveBytes() const;
    // Of the workspace in each stage; part of the above.
    [[nodiscard]] std::vector<std::size_t> workspaceBytes() const;
    [[nodiscard]] std::size_t livePeakBytes() const;
    // All buffers side by side.
    [[nodiscard]] std::size_t noReuseBytes() const;
};

// Of an arranged plan.
[[nodiscard]] MemoryUse memoryUseOf(const Plan &plan);

// What plannedMemory starts from, for callers that plan many schedules of one graph.
[[nodiscard]] Result<TensorPlan> plannedTensors(const Graph &graph, std::int64_t elementBytes);

// What tensors take while one stage runs, as plannedMemory counts them, without placing anything.
[[nodiscard]] Result<std::size_t> plannedTensorBytes(const Graph &graph, const TensorPlan &tensors,
                                                     std::span<const Stage> stages, std::size_t stage);

// Scratch memory of a stage by group, one for a merge.
using StageWorkspace = std::vector<std::size_t>;

// The workspace that is known without a backend: inputs that are added or joined before an operator.
[[nodiscard]] Result<StageWorkspace> plannedWorkspace(const Graph &graph, const TensorPlan &tensors,
                                                      const Stage &stage);

// Bytes of the groups together, each padded as plannedMemory does.
[[nodiscard]] std::size_t paddedBytes(const StageWorkspace &workspace);

// Every tensor row-major in elements of this many bytes; the workspace as given by stage, or plannedWorkspace if it is
// empty. Errors: InvalidInput, naming a tensor without a known shape.
[[nodiscard]] Result<MemoryUse> plannedMemory(const Graph &graph, std::span<const Stage> stages,
                                              std::int64_t elementBytes,
                                              std::span<const StageWorkspace> workspace = {});
// Of stages or streams. Stages of the use are launches then, in launch order: what would be live if each ended before
// the next begins, which no arena of theirs can be smaller than.
[[nodiscard]] Result<MemoryUse> plannedMemory(const Graph &graph, const Schedule &schedule, std::int64_t elementBytes,
                                              std::span<const StageWorkspace> workspace = {});

// The arranged plan behind it.
[[nodiscard]] Result<Plan> plannedArena(const Graph &graph, const Schedule &schedule, std::int64_t elementBytes,
                                        std::span<const StageWorkspace> workspace = {});

// What TVM's planner of its graph executor would take for the same order (GraphPlanMemory: a buffer per output, taken
// from freed ones of a sixteenth to sixteen times the size, counted by readers). It knows no stages: operators of a
// stage run side by side here, so none of them takes what another one frees. Joins are copies for it.
[[nodiscard]] std::size_t referenceCountedBytes(const Graph &graph, std::span<const Stage> stages,
                                                std::int64_t elementBytes);

} // namespace stagecraft::plan
