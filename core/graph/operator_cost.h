#pragma once

// Arithmetic and memory traffic of one execution of an operator.

#include "graph/graph.h"

#include <optional>

namespace stagecraft {

// Of a product, a convolution or a recurrent layer that is kept as in the file; empty for other operators.
[[nodiscard]] std::optional<double> multiplyAdds(const Graph &graph, OperatorId id);

// Multiply-adds times two in one execution; bytes read and written, each once, weights included.
[[nodiscard]] double flops(const Graph &graph, OperatorId id);
[[nodiscard]] double memoryBytes(const Graph &graph, OperatorId id);

} // namespace stagecraft
