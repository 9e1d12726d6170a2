#pragma once

// Units that consist of several operators (OperatorKind::Fused), and the graph with these operators in place of them:
// what is executed, exported and written to model files, one kernel per operator.

#include "graph/graph.h"

#include <memory>
#include <vector>

namespace stagecraft {

[[nodiscard]] bool hasFusedUnits(const Graph &graph);

struct ExpandedGraph {
    std::shared_ptr<const Graph> graph;
    std::vector<std::vector<OperatorId>> parts; // by operator of the given graph: its operators, in order
    std::vector<OperatorId> units;              // by operator of `graph`: the operator of the given graph

    // By operator of `graph`: whether its unit has others.
    [[nodiscard]] std::vector<bool> isInUnit() const;
    // The operators of a group of units, one unit after another.
    [[nodiscard]] std::vector<OperatorId> expanded(const std::vector<OperatorId> &group) const;
};

// Tensors and operators have the names that they have in the units.
[[nodiscard]] ExpandedGraph expandUnits(const Graph &graph);

} // namespace stagecraft
