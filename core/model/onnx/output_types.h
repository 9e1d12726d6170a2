#pragma once

// The element types of what a node makes.

#include "model/onnx/node.h"

namespace stagecraft {

[[nodiscard]] DataType outputType(const OnnxNode &node, std::size_t output);

} // namespace stagecraft
