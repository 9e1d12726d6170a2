#pragma once

// Arithmetic of an operator.

#include "graph/graph.h"

namespace stagecraft {

// Multiply-adds times two in one execution.
[[nodiscard]] inline double flops(const Graph &graph, OperatorId id)
{
    return graph.flops(id);
}

} // namespace stagecraft
