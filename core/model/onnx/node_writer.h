#pragma once

// Writes the operators of a graph as nodes of an ONNX graph, without the values of weights.

#include "graph/graph.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
}

namespace stagecraft {

struct WrittenGraph {
    std::vector<Parameter> weights; // what the nodes read besides tensors, named as they name it
};

[[nodiscard]] Result<WrittenGraph> writeNodes(const Graph &graph, onnx::GraphProto &proto);

} // namespace stagecraft
