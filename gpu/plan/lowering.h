#pragma once

// The kernels and library calls of a group of a stage: what its planned tasks become on a GPU.

#include "gpu/plan/task.h"
#include "plan/plan.h"
#include "support/result.h"

#include <functional>

namespace stagecraft::gpu {

inline constexpr std::size_t kArenaAlignment = 256; // as cudaMalloc's, and enough for every library

// Rounds up to a multiple of kArenaAlignment.
[[nodiscard]] constexpr std::size_t arenaAligned(std::size_t bytes)
{
    return plan::aligned(bytes, kArenaAlignment);
}

// Layouts and aliases of a graph's tensors. Images have the layout that they state, or that of the options. Kernels
// take channels of a larger tensor wherever they lie; in place of a joined tensor with its channels last only where
// bounds are multiples of 16 bytes: tensor cores require that.
[[nodiscard]] plan::TensorPlan planTensors(const Graph &graph, const GpuOptions &options);

// How a task of the operator reads its inputs. InvalidInput, naming the operator: there is no kernel for it. Also
// called before a graph is opened.
[[nodiscard]] Result<plan::InputForm> inputFormOf(const Graph &graph, OperatorId id);

// Bytes that the convolution needs besides its tensors; called once per convolution of a program.
using WorkspaceSize = std::function<Result<std::size_t>(const ConvTask &)>;

struct LoweringContext {
    const Graph &graph;
    const GpuOptions &options;
    plan::Plan &plan; // its scratch buffers grow
    const WorkspaceSize &workspaceSize;
    std::vector<Constant> &constants; // grows
};

// InvalidInput, naming the operator: there is no kernel for it.
[[nodiscard]] Result<std::vector<Task>> lowerGroup(const LoweringContext &context, const plan::GroupPlan &group);

} // namespace stagecraft::gpu
