#pragma once

// Reads the graph of a model file front to back into a SourceGraph.

#include "model/onnx_import.h"

#include <memory>

namespace onnx {
class ModelProto;
}

namespace stagecraft {

// Moves the weights out of the message as it reads them, so that they are in memory once.
[[nodiscard]] Result<SourceGraph> readOnnxGraph(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                                                const std::filesystem::path &folder, const OpenRequest &request);

// A node with this doc_string is a schedule unit of its own: the exporter writes it where the structure alone would not
// tell.
inline constexpr const char *kUnitMark = "stagecraft: unit";

} // namespace stagecraft
