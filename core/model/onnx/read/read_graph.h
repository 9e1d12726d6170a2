#pragma once

// Reads the graph of a model file into a SourceGraph: as often as its sizes are tried, and as nodes that stand for
// others are written out.

#include "model/onnx_import.h"

#include <memory>

namespace onnx {
class ModelProto;
}

namespace stagecraft {

// Moves the weights out of the message as it reads them, so that they are in memory once.
[[nodiscard]] Result<SourceGraph> readOnnxGraph(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                                                const std::filesystem::path &folder, const OpenRequest &request);

} // namespace stagecraft
