#pragma once

// Reads the graph of a model file front to back into a SourceGraph.

#include "model/onnx_import.h"

#include <memory>

namespace onnx {
class ModelProto;
}

namespace stagecraft {

[[nodiscard]] Result<SourceGraph> readOnnxGraph(const std::shared_ptr<const onnx::ModelProto> &model,
                                                const std::string &name, const std::filesystem::path &folder,
                                                const OnnxImportOptions &options);

// A node whose doc_string is this is a schedule unit of its own: the program writes it where the structure alone would
// not tell.
inline constexpr const char *kUnitMark = "stagecraft: unit";

} // namespace stagecraft
