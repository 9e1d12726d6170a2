#pragma once

// The tasks of one group of a stage, in order. Input expressions that a kernel does not take directly are summed and
// joined into scratch memory, together with activations before a convolution.

#include "gpu/plan/placement.h"
#include "support/result.h"

#include <functional>
#include <span>

namespace stagecraft::gpu {

// Bytes that the convolution needs besides its tensors; called once per convolution of a program.
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
    std::size_t scratchBytes = 0; // size of the group's scratch buffer
};

// `scratchBuffer`: for the group's temporaries. InvalidInput, naming the operator: there is no kernel for it.
[[nodiscard]] Result<GroupTasks> lowerGroup(const LoweringContext &context, std::span<const OperatorId> operators,
                                            std::size_t scratchBuffer);

// The merged convolution with output `merged`, and copies for members whose tensors are elsewhere.
[[nodiscard]] Result<GroupTasks> lowerMerged(const LoweringContext &context, std::span<const OperatorId> members,
                                             const View &merged, std::size_t scratchBuffer);

// Whether the device has a kernel for the operator, and if not, why: called before a graph is opened.
[[nodiscard]] Result<void> checkSupported(const Graph &graph, OperatorId id);

} // namespace stagecraft::gpu
