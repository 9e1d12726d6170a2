#pragma once

// What the graph view draws, without positions: nodes (operators, folded blocks, inputs and outputs of the graph) in
// their parts, and which nodes are connected.

#include "widgets/graph/layout/graph_layout.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace stagecraft {

using NodePair = std::pair<std::uint32_t, std::uint32_t>;

struct Drawing {
    GraphLayout layout;                            // nodes without positions
    std::vector<std::vector<std::uint32_t>> parts; // the inputs, a part per block, the outputs
    std::vector<std::size_t> partOf;               // node -> part
    std::vector<NodePair> joined;                  // ascending
};

[[nodiscard]] Drawing drawingOf(const Graph &graph, const Blocks &blocks, const LayoutOptions &options);

} // namespace stagecraft
