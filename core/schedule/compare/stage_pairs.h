#pragma once

// Finds the counterpart of each stage in another schedule, and what differs between the two.

#include "graph/graph.h"
#include "schedule/compare/spans.h"

#include <optional>
#include <vector>

namespace stagecraft {

// A stage of A and its counterpart in B; either may be missing.
struct StagePair {
    std::optional<std::size_t> a;
    std::optional<std::size_t> b;
    std::vector<OperatorId> added;   // in B's stage, but not in A's
    std::vector<OperatorId> removed; // in A's stage, but not in B's

    // Only such latencies can be subtracted.
    [[nodiscard]] bool hasSameOperators() const { return a && b && added.empty() && removed.empty(); }
};

// Pairs the stages of two sides of a span one to one, in order, such that most operators are shared, then most FLOPs,
// then earlier stages. Sorted by running order; stages of B without a counterpart come before those of A.
[[nodiscard]] std::vector<StagePair> pairStages(const Graph &graph, StageList a, StageRange sideA, StageList b,
                                                StageRange sideB);

} // namespace stagecraft
