#pragma once

// What the cpu device refuses, as far as the graph alone tells: nothing is made ready to run. What depends on values
// (an index out of range), or on a form that only a kernel knows (types that do not go together), is found when it
// runs.

#include "graph/graph.h"

#include <string>

namespace stagecraft::cpu {

// Why the device refuses the operator, without its name or those of tensors: "cpu has no kernel for If (its condition
// is computed)". Empty if it executes it.
[[nodiscard]] std::string refusalOf(const Graph &graph, const Operator &op);

} // namespace stagecraft::cpu
