#pragma once

// A block as the search sees it: operators numbered 0..n-1 in topological order, sets of them as one machine word.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

using OperatorSet = std::uint64_t;

[[nodiscard]] constexpr OperatorSet single(int op)
{
    return OperatorSet{1} << op;
}
[[nodiscard]] constexpr int lowest(OperatorSet set)
{
    return std::countr_zero(set);
}
[[nodiscard]] constexpr int highest(OperatorSet set)
{
    return 63 - std::countl_zero(set);
}
[[nodiscard]] constexpr int size(OperatorSet set)
{
    return std::popcount(set);
}

// Operators that the schedule must have as one stage.
struct PinnedSet {
    OperatorSet operators = 0;
    Strategy strategy = Strategy::Concurrent;
    int groups = 1;                               // concurrent groups
    OperatorSet predecessors = 0, successors = 0; // direct, outside the stage
    std::vector<OperatorId> launchOrder = {};
};

struct BlockView {
    std::size_t index = 0; // of the block in the model
    int n = 0;
    OperatorSet all = 0;
    std::vector<OperatorId> ids;
    std::vector<OperatorSet> predecessors, successors; // direct, within the block
    std::vector<OperatorSet> ancestors, descendants;   // without the operator itself
    std::vector<OperatorSet> waves;                    // by breadth first: what can run once the waves before have run
    std::vector<OperatorSet> mergeClasses;    // sets of at least two operators that can be merged with each other
    std::vector<OperatorSet> ownInputClasses; // and sets of which any can be merged that read different tensors
    std::vector<OperatorSet> readSame;        // by operator: those that read the same, itself among them
    std::vector<PinnedSet> pins;
    OperatorSet pinned = 0; // operators of all pins: an ending has none of them, or is a pin

    // Operators of `set` without an edge to the rest of it.
    [[nodiscard]] OperatorSet sinks(OperatorSet set) const;
    // The weakly connected component of `set` that `op` is in.
    [[nodiscard]] OperatorSet component(OperatorSet set, int op) const;
    [[nodiscard]] int groupCount(OperatorSet set) const;

    [[nodiscard]] Stage stage(OperatorSet set, Strategy strategy) const;
};

// The block has at most kMaxBlockOperators operators. `pins` are legal together (search/stages/pins.h); only those
// whose operators are all in the block count.
[[nodiscard]] BlockView makeBlockView(const Graph &graph, const Block &block, std::size_t index,
                                      std::span<const Stage> pins = {});

} // namespace stagecraft
