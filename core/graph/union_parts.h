#pragma once

// Which graphs a union (graph/graph_union.h) is made of, told from the union itself: from a file that it was written
// to, too.

#include "graph/graph_union.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

// Those of a graph named "x+y" whose operators are first "x/...", then "y/...", with no edge between them; empty: it
// is no union.
[[nodiscard]] std::vector<UnionPart> partsOfUnion(const Graph &graph);

// The place of the operator's part; nullopt: it is in none.
[[nodiscard]] std::optional<std::size_t> partOf(std::span<const UnionPart> parts, OperatorId id);

} // namespace stagecraft
