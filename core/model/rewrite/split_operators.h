#pragma once

// An operator split into parts that may run side by side: each computes some of the channels of a convolution, or some
// of the columns of a matrix product, or, by rows, some rows of either, from the rows of the input that it needs, which
// a slice takes; a concat joins what they make. The parts are operators like any others: they
// are scheduled, and merged again, by the usual rules. What a split costs (inputs read several times, smaller kernels,
// the concat) is the cost of these operators.

#include "graph/block.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "support/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

inline constexpr std::int64_t kMostParts = 64;

// "conv1.part2": parts are counted from 1. "conv1.join": has the output of the operator that is split.
[[nodiscard]] std::string nameOfPart(const std::string &op, std::int64_t part);
[[nodiscard]] std::string nameOfJoin(const std::string &op);

// Whether an operator can be split, and why not: only Conv and Gemm with a weight of two dimensions; at least 2 parts,
// at most one a channel, column or row, and, by rows, each with some row of the input to read. By channels: only with
// one group, without slopes of its own, with a bias of one value a channel or column.
[[nodiscard]] Result<void> checkSplit(const Graph &graph, OperatorId op, std::int64_t parts, bool byRows = false);

struct SplitGraph {
    Graph graph;
    // By operator of the graph before: the chains of operators that it is now, itself or a chain for each part (its
    // slices, then the part) and one of the concat.
    std::vector<std::vector<std::vector<OperatorId>>> became;

    [[nodiscard]] Blocks blocksOf(const Blocks &before) const;
};

// Refuses, naming the operator: one that the graph does not have, one that cannot be split, a name that is taken.
// `byRows`: those of them that are split by rows.
[[nodiscard]] Result<SplitGraph> splitOperators(const Graph &graph, const OperatorSplits &splits,
                                                const std::set<std::string> &byRows = {});

} // namespace stagecraft
