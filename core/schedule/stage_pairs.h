#pragma once

// Which stage of one schedule is the counterpart of which of another, and what differs between them.

#include "graph/graph.h"
#include "schedule/spans.h"

#include <optional>
#include <vector>

namespace stagecraft {

// A stage of A and its counterpart in B; one of them is missing where there is none.
struct StagePair {
    std::optional<std::size_t> a;
    std::optional<std::size_t> b;
    std::vector<OperatorId> added;   // in B's stage, not in A's
    std::vector<OperatorId> removed; // in A's stage, not in B's

    // Only then can their latencies be subtracted.
    [[nodiscard]] bool hasSameOperators() const { return a && b && added.empty() && removed.empty(); }
};

// Pairs the stages of two sides of a span one to one, in order: so that most operators are shared, then most FLOPs,
// then the earlier stages. In the order in which they run; stages of B without a counterpart come before those of A.
[[nodiscard]] std::vector<StagePair> pairStages(const Graph &graph, StageList a, StageRange sideA, StageList b,
                                                StageRange sideB);

} // namespace stagecraft
