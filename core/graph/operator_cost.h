#pragma once

// Arithmetic and memory traffic of one execution of an operator.

#include "graph/graph.h"

namespace stagecraft {

// Multiply-adds times two in one execution; bytes read and written, each once, weights included.
[[nodiscard]] double flops(const Graph &graph, OperatorId id);
[[nodiscard]] double memoryBytes(const Graph &graph, OperatorId id);

} // namespace stagecraft
