#pragma once

// Which buffer each tensor of a program is in, and how long each buffer is needed. A tensor that is joined once is
// stored in its channels of the joined tensor; members of a merged convolution are strided views of its output.

#include "device/memory_plan.h"
#include "gpu/plan/task.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft::gpu {

inline constexpr std::size_t kArenaAlignment = 256; // as cudaMalloc's, and enough for every library

// Rounds up to a multiple of kArenaAlignment.
[[nodiscard]] constexpr std::size_t arenaAligned(std::size_t bytes)
{
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct ConcatAlias {
    TensorId joined;
    std::int64_t channel = 0; // first channel in the joined tensor
};
using ConcatAliases = std::vector<std::optional<ConcatAlias>>; // by TensorId

// Depends only on the graph, not on a schedule, so that a stage costs the same in every schedule. If channels are
// adjacent, only slices whose bounds are multiples of 16 bytes get an alias: tensor cores require that.
[[nodiscard]] ConcatAliases chooseConcatAliases(const Graph &graph, const GpuOptions &options);

struct Placement {
    std::vector<std::optional<View>> tensors; // by TensorId; only for tensors of the stages
    std::vector<std::optional<View>> merged;  // by stage: the output of its merged convolution
    std::vector<TensorId> outside;            // read but not produced by the stages, ascending
    std::vector<BufferLife> buffers;

    std::size_t addBuffer(std::size_t bytes, std::size_t stage);
};

// Tensors from outside and outputs of the graph live through all stages.
[[nodiscard]] Placement placeTensors(const Graph &graph, const ConcatAliases &aliases, std::span<const Stage> stages,
                                     const GpuOptions &options);

} // namespace stagecraft::gpu
