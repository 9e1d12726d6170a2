#pragma once

// The element types of a node's outputs.

#include "model/onnx/file/node.h"

namespace stagecraft {

[[nodiscard]] DataType outputType(const OnnxNode &node, std::size_t output);

} // namespace stagecraft
