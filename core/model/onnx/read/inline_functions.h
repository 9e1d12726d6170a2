#pragma once

// Replaces calls of a model file's local functions by what they stand for, also within subgraphs.

#include "support/result.h"

namespace onnx {
class ModelProto;
} // namespace onnx

namespace stagecraft {

// Refuses functions that call themselves, or write out to absurdly many nodes, naming them.
[[nodiscard]] Result<void> inlineFunctions(onnx::ModelProto &model);

} // namespace stagecraft
