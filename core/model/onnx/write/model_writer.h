#pragma once

// Writes a graph as an ONNX model, without the values of large weights.

#include "graph/graph.h"
#include "model/onnx/read/node_steps.h"
#include "model/onnx_export.h"
#include "support/result.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace onnx {
class ModelProto;
class TensorProto;
} // namespace onnx

namespace stagecraft {

// Smaller values, such as shapes, stay in the model, where every reader sees them.
inline constexpr std::size_t kSmallWeightBytes = 1024;

struct WrittenModel {
    std::shared_ptr<onnx::ModelProto> proto;
    std::vector<WrittenWeight> weights; // to be added as initializers, see fillWeight
    WrittenForm form;
    std::vector<ExportedNode> nodes;
};

// Refuses what checkWritten refuses.
[[nodiscard]] Result<WrittenModel> writeModel(const Graph &graph, const OnnxExportOptions &options);

[[nodiscard]] Result<void> fillWeight(const WrittenWeight &weight, onnx::TensorProto &tensor);

} // namespace stagecraft
