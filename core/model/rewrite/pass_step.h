#pragma once

// The graph before and after one run of a pass, as values: to be looked at, not executed.

#include "graph/graph.h"

#include <memory>
#include <vector>

namespace stagecraft {

// Both graphs are without the values of weights.
struct PassStep {
    std::shared_ptr<const Graph> before; // as the passes before it left it
    std::shared_ptr<const Graph> after;
    std::vector<OperatorId> gone;    // operators of `before` that are none of their own in `after`; ascending
    std::vector<OperatorId> becomes; // by operator of `before`: the one of `after` that does its work; invalid: none
    std::vector<OperatorId> units;   // by operator of `after`: the unit in the end that it is part of; invalid: none
};

// Of two readings of one file: operators are the same where their names are. Leaves `units` empty.
[[nodiscard]] PassStep stepBetween(Graph before, Graph after);

} // namespace stagecraft
