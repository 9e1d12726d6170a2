#pragma once

// The order of operators, some of them merged, in a file that is read from its start.

#include "graph/graph.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// Indices of `units`: operators, or several that are merged, ascending. Each unit comes after those whose outputs it
// reads, and as early in the order of the graph as its first operator allows. The units of a legal schedule.
[[nodiscard]] std::vector<std::size_t> unitOrder(const Graph &graph, std::span<const std::vector<OperatorId>> units);

} // namespace stagecraft
