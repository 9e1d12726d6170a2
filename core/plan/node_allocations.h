#pragma once

// What a schedule allocates in a runtime that gives every tensor memory of its own, node by node, as ONNX Runtime and
// PyTorch do: joined inputs are copied, and what an operator computes on the way is allocated, too. Weights are left
// out, and scratch memory of kernels that is not known.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft::plan {

// How a runtime writes operators as nodes.
struct NodeForm {
    bool fusesActivations = true; // the usual ones, into the convolution or product before them
    bool copiesSplits = true;     // of a merged convolution; otherwise views of it
    bool sumsAtOnce = true;       // otherwise tensor after tensor
    bool sharesSteps = true;      // the same activation or sum of the same tensors is one node, as is the same pooling
    bool inLaunchOrder = false; // otherwise as in an exported file: in the order of the graph, merged ones at the first
    // Scratch memory of a convolution that is neither 1x1 nor small is this; of one with more output channels than
    // output positions its unfolded input. 0: not known.
    std::size_t convolutionScratchBytes = 0;
};

struct NodeValue {
    std::size_t bytes = 0;
    Shape shape = {};
    bool isInput = false; // the caller's memory
    bool isOutput = false;
    std::optional<std::size_t> viewOf = {}; // lies in this value, which is no view
};

struct AllocatingNode {
    std::size_t stream = 0;
    std::vector<std::size_t> reads = {}; // values, no views
    std::vector<std::size_t> makes = {}; // values
    std::size_t scratchBytes = 0;
    bool mayOverwrite = false; // one of what it reads, of the same shape
    bool isFused = false;      // with an activation that a file has as a node of its own
    double work = 0;           // bytes that it moves, with sixteen operations of arithmetic for each more
};

struct NodeAllocations {
    std::vector<NodeValue> values;
    std::vector<AllocatingNode> nodes;

    // By value: the last node that reads it or a view of it, or makes it if none does. Nothing for inputs and views.
    [[nodiscard]] std::vector<std::optional<std::size_t>> lastUses() const;
    // By value: nodes that read it or a view of it.
    [[nodiscard]] std::vector<std::size_t> readers() const;
    // By node: those that make what it reads, ascending.
    [[nodiscard]] std::vector<std::vector<std::size_t>> producers() const;
};

// Floating-point tensors in elements of this many bytes. The schedule is verified (schedule/verify.h). Errors:
// InvalidInput, naming a tensor without a known shape.
[[nodiscard]] Result<NodeAllocations> nodeAllocations(const Graph &graph, const Schedule &schedule,
                                                      std::int64_t elementBytes, const NodeForm &form);

} // namespace stagecraft::plan
