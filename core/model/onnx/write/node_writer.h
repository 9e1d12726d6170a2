#pragma once

// Writes the operators of a graph as nodes of an ONNX graph, without the values of weights.

#include "model/onnx/read/node_steps.h"
#include "model/onnx_export.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
}

namespace stagecraft {

struct WrittenNodes {
    std::vector<WrittenWeight> weights;
    std::vector<ExportedNode> nodes;
    std::string merges; // what the model states about merged operators (model/onnx/file/stage_metadata.h)
};

[[nodiscard]] Result<WrittenNodes> writeNodes(const Graph &graph, const WrittenForm &form, onnx::GraphProto &proto,
                                              const OnnxExportOptions &options);

} // namespace stagecraft
