#pragma once

// What is known about operators beyond their attributes.

#include "graph/graph.h"

#include <string>

namespace stagecraft {

[[nodiscard]] inline const std::string &displayType(const Operator &op)
{
    return op.type;
}

// Multiply-adds times two in one execution.
[[nodiscard]] inline double flops(const Graph &graph, OperatorId id)
{
    return graph.flops(id);
}

} // namespace stagecraft
