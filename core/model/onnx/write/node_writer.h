#pragma once

// Writes the operators of a graph as nodes of an ONNX graph, without the values of weights.

#include "model/onnx/read/node_steps.h"
#include "support/result.h"

#include <vector>

namespace onnx {
class GraphProto;
}

namespace stagecraft {

[[nodiscard]] Result<std::vector<WrittenWeight>> writeNodes(const Graph &graph, const WrittenForm &form,
                                                            onnx::GraphProto &proto);

} // namespace stagecraft
