#pragma once

// The tasks of one group of a stage, in order. Input expressions are summed and joined into scratch memory where the
// kernel does not take them as they are; activations before a convolution go along with that.

#include "gpu/plan/placement.h"
#include "support/result.h"

#include <functional>
#include <span>

namespace stagecraft::gpu {

// Bytes the convolution needs beside its tensors; asked once per convolution of a program.
using WorkspaceSize = std::function<Result<std::size_t>(const ConvTask &)>;

struct LoweringContext {
    const Graph &graph;
    const GpuOptions &options;
    const Placement &placement;
    const WorkspaceSize &workspaceSize;
    std::vector<Constant> &constants; // grows
};

struct GroupTasks {
    std::vector<Task> tasks;
    std::size_t scratchBytes = 0; // of the group's scratch buffer
};

// `scratchBuffer`: where the group's own temporaries go. InvalidInput, naming the operator: there is no kernel for it.
[[nodiscard]] Result<GroupTasks> lowerGroup(const LoweringContext &context, std::span<const OperatorId> operators,
                                            std::size_t scratchBuffer);

// The merged convolution into `merged`, and copies for members that lie elsewhere.
[[nodiscard]] Result<GroupTasks> lowerMerged(const LoweringContext &context, std::span<const OperatorId> members,
                                             const View &merged, std::size_t scratchBuffer);

// Whether the device has a kernel for the operator, and if not, why: asked before a graph is opened.
[[nodiscard]] Result<void> checkSupported(const Graph &graph, OperatorId id);

} // namespace stagecraft::gpu
