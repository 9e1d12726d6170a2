#pragma once

// An operator split into parts that may run side by side: each computes some of the channels of a convolution, or some
// of the columns of a matrix product, and a concat joins what they make. The parts are operators like any others: they
// are scheduled, and merged again, by the usual rules. What a split costs (inputs read several times, smaller kernels,
// the concat) is the cost of these operators.

#include "graph/block.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

inline constexpr std::int64_t kMostParts = 64;

// "conv1.part2": parts are counted from 1. "conv1.join": has the output of the operator that is split.
[[nodiscard]] std::string nameOfPart(const std::string &op, std::int64_t part);
[[nodiscard]] std::string nameOfJoin(const std::string &op);

// Whether an operator can be split, and why not: only Conv with one group and Gemm with a weight of two dimensions;
// without slopes of its own, with a bias of one value a channel or column; at least 2 parts, at most one a channel.
[[nodiscard]] Result<void> checkSplit(const Graph &graph, OperatorId op, std::int64_t parts);

struct SplitGraph {
    Graph graph;
    // By operator of the graph before: what it is now. Of a split one the parts, then the concat.
    std::vector<std::vector<OperatorId>> became;

    [[nodiscard]] Blocks blocksOf(const Blocks &before) const;
};

// Refuses, naming the operator: one that the graph does not have, one that cannot be split, a name that is taken.
[[nodiscard]] Result<SplitGraph> splitOperators(const Graph &graph, const OperatorSplits &splits);

} // namespace stagecraft
