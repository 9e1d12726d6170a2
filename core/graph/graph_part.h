#pragma once

// Parts of a graph as graphs of their own, to be looked at closely.

#include "graph/graph.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// The operators, and what is at most `steps` edges from one of them, in either direction: ascending, the nearest where
// they are more than `most`.
[[nodiscard]] std::vector<OperatorId> neighbourhood(const Graph &graph, std::span<const OperatorId> operators,
                                                    std::size_t steps, std::size_t most);

// What the operators read from others is an input, what others read an output. `operators`: ascending, without repeats.
[[nodiscard]] Graph partOf(const Graph &graph, std::span<const OperatorId> operators);

} // namespace stagecraft
