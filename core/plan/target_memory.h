#pragma once

// What a schedule needs of memory in the runtimes it is exported for, as their allocators take it: simulated,
// allocation after allocation in the order in which they run nodes, without weights, and without scratch memory of
// kernels but for what is said of a target. Streams that run ahead of others may take more.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stagecraft::plan {

enum class MemoryTarget {
    OnnxRuntime,     // on the CPU: one arena for all streams; convolutions unfold their input
    OnnxRuntimeCuda, // a chunk belongs to the stream that took it first
    PyTorchGraph,    // a CUDA graph: a tensor that another stream reads is not freed before the capture ends
};

struct MemoryTargetRow {
    MemoryTarget target;
    std::string_view word;  // on the command line
    std::string_view name;  // for people
    std::string_view basis; // how its memory is counted
};

[[nodiscard]] std::span<const MemoryTargetRow> memoryTargets();
[[nodiscard]] const MemoryTargetRow &memoryTargetRow(MemoryTarget target);
[[nodiscard]] std::optional<MemoryTarget> memoryTargetFrom(std::string_view word);

struct TargetMemory {
    MemoryTarget target = MemoryTarget::OnnxRuntime;
    std::size_t heldBytes = 0; // that its allocator has taken from the system after some runs
    std::size_t peakBytes = 0; // the most that is used at a time, as whole chunks
    std::size_t keptBytes = 0; // of tensors that are read on other streams and therefore not reused
};

// The schedule is verified (schedule/verify.h). Errors: InvalidInput, naming a tensor without a known shape.
[[nodiscard]] Result<TargetMemory> targetMemory(MemoryTarget target, const Graph &graph, const Schedule &schedule,
                                                std::int64_t elementBytes);

} // namespace stagecraft::plan
