#pragma once

// What the graph view draws, without positions: nodes (operators, folded blocks, inputs and outputs of the graph) in
// their parts, and which nodes are connected.

#include "widgets/graph/drawing/graph_drawing.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace stagecraft {

using NodePair = std::pair<std::uint32_t, std::uint32_t>;

struct DrawingParts {
    GraphDrawing drawing;                          // nodes without positions
    std::vector<std::vector<std::uint32_t>> parts; // the inputs, a part per block, the outputs
    std::vector<std::size_t> partOf;               // node -> part
    std::vector<NodePair> joined;                  // ascending
};

[[nodiscard]] DrawingParts drawingPartsOf(const Graph &graph, const Blocks &blocks, const DrawingOptions &options);

} // namespace stagecraft
