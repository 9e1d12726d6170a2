#pragma once

// Which buffer every tensor of a program lies in, and how long each buffer is needed. A tensor that is joined once lies
// in its channels of the joined tensor; members of a merged convolution lie in its output, as strided views.

#include "device/memory_plan.h"
#include "gpu/plan/task.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft::gpu {

inline constexpr std::size_t kArenaAlignment = 256; // of cudaMalloc, and enough for every library

// The least multiple of kArenaAlignment that holds the bytes.
[[nodiscard]] constexpr std::size_t arenaAligned(std::size_t bytes)
{
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct ConcatAlias {
    TensorId joined;
    std::int64_t channel = 0; // of the joined tensor, where this one begins
};
using ConcatAliases = std::vector<std::optional<ConcatAlias>>; // by TensorId

// Depends on the graph alone, never on a schedule, so that a stage costs the same in every schedule. Where channels lie
// side by side, only slices whose bounds are multiples of 16 bytes get an alias: tensor cores read no others.
[[nodiscard]] ConcatAliases chooseConcatAliases(const Graph &graph, const GpuOptions &options);

struct Placement {
    std::vector<std::optional<View>> tensors; // by TensorId; of those the stages touch
    std::vector<std::optional<View>> merged;  // by stage: the output of its merged convolution
    std::vector<TensorId> outside;            // read but not produced by the stages, ascending
    std::vector<BufferLife> buffers;

    std::size_t addBuffer(std::size_t bytes, std::size_t stage);
};

// What comes from outside, and outputs of the graph, live through all stages.
[[nodiscard]] Placement placeTensors(const Graph &graph, const ConcatAliases &aliases, std::span<const Stage> stages,
                                     const GpuOptions &options);

} // namespace stagecraft::gpu
