#pragma once

// The constants of a model file.

#include "operators/constant.h"
#include "support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class TensorProto;
} // namespace onnx

namespace stagecraft {

// The values of a tensor in the file. External data is only read from `folder`.
[[nodiscard]] Result<Constant> decodeTensor(const onnx::TensorProto &tensor, const std::filesystem::path &folder);

// The files with initializers of the graph, without repeats.
[[nodiscard]] std::vector<std::string> externalFiles(const onnx::GraphProto &graph,
                                                     const std::filesystem::path &folder);

} // namespace stagecraft
