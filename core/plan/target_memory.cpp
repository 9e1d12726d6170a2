#include "plan/target_memory.h"

#include "plan/node_allocations.h"
#include "plan/onnxruntime_memory.h"
#include "plan/runtime_allocators.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace stagecraft::plan {
namespace {

constexpr std::size_t kKiB = 1024;

constexpr std::array<MemoryTargetRow, 3> kTargets{{
    {MemoryTarget::OnnxRuntime, "onnxruntime", "ONNX Runtime",
     "its arena on the CPU after some runs, with what convolutions unfold their input into"},
    {MemoryTarget::OnnxRuntimeCuda, "onnxruntime-cuda", "ONNX Runtime, CUDA",
     "its arena on a GPU, where streams share nothing; without the workspace of kernels"},
    {MemoryTarget::PyTorchGraph, "pytorch", "PyTorch CUDA graph",
     "the pool of a captured graph: streams share nothing, and what another one reads is kept; without the workspace "
     "of "
     "kernels"},
}};

// By node: the values that are not needed behind it.
std::vector<std::vector<std::size_t>> endingValues(const NodeAllocations &made,
                                                   const std::vector<std::optional<std::size_t>> &lastUses)
{
    std::vector<std::vector<std::size_t>> ending(made.nodes.size());
    for (std::size_t value = 0; value < lastUses.size(); ++value) {
        if (lastUses[value] && !made.values[value].isOutput)
            ending[*lastUses[value]].push_back(value);
    }
    return ending;
}

// By value: a stream reads it that is not the one that made it.
std::vector<bool> crossingValues(const NodeAllocations &made)
{
    std::vector<std::size_t> streamOf(made.values.size());
    std::vector<bool> crosses(made.values.size());
    for (const AllocatingNode &node : made.nodes) {
        for (const std::size_t value : node.makes)
            streamOf[value] = node.stream;
        for (const std::size_t value : node.reads) {
            if (streamOf[value] != node.stream && !made.values[value].isInput)
                crosses[value] = true;
        }
    }
    return crosses;
}

TargetMemory inPyTorchGraph(const NodeAllocations &made)
{
    const auto ending = endingValues(made, made.lastUses());
    const std::vector<bool> crosses = crossingValues(made);
    CachingAllocator allocator;
    AllocatedValues run(allocator);
    TargetMemory memory{MemoryTarget::PyTorchGraph};
    for (std::size_t i = 0; i < made.nodes.size(); ++i) {
        for (const std::size_t value : made.nodes[i].makes) {
            run.take(value, made.values[value].bytes, made.nodes[i].stream);
            memory.keptBytes += crosses[value] ? made.values[value].bytes : 0;
        }
        for (const std::size_t value : ending[i]) {
            if (!crosses[value])
                run.giveBack(value);
        }
    }
    memory.heldBytes = allocator.heldBytes();
    memory.peakBytes = run.peakBytes();
    return memory;
}

NodeForm formOf(MemoryTarget target)
{
    switch (target) {
    case MemoryTarget::OnnxRuntime: return {.convolutionScratchBytes = 64 * kKiB};
    case MemoryTarget::OnnxRuntimeCuda: return {};
    case MemoryTarget::PyTorchGraph:
        return {.fusesActivations = false,
                .copiesSplits = false,
                .sumsAtOnce = false,
                .sharesSteps = false,
                .inLaunchOrder = true};
    }
    return {};
}

} // namespace

std::span<const MemoryTargetRow> memoryTargets()
{
    return kTargets;
}

const MemoryTargetRow &memoryTargetRow(MemoryTarget target)
{
    return *std::ranges::find(kTargets, target, &MemoryTargetRow::target);
}

std::optional<MemoryTarget> memoryTargetFrom(std::string_view word)
{
    const auto *const row = std::ranges::find(kTargets, word, &MemoryTargetRow::word);
    return row == kTargets.end() ? std::nullopt : std::optional(row->target);
}

Result<TargetMemory> targetMemory(MemoryTarget target, const Graph &graph, const Schedule &schedule,
                                  std::int64_t elementBytes)
{
    TRY_AS(auto made, nodeAllocations(graph, schedule, elementBytes, formOf(target)));
    if (target == MemoryTarget::PyTorchGraph)
        return inPyTorchGraph(made);
    made = inOrderOfOnnxRuntime(std::move(made));
    const bool isCuda = target == MemoryTarget::OnnxRuntimeCuda;
    const bool hasOneStream =
        std::ranges::all_of(made.nodes, [](const AllocatingNode &node) { return node.stream == 0; });
    const ArenaUse use = hasOneStream && !isCuda ? arenaOfOneStream(std::move(made)) : arenaOfStreams(made, isCuda);
    return TargetMemory{target, use.heldBytes, use.peakBytes};
}

} // namespace stagecraft::plan
