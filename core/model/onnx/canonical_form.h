#pragma once

// Operators that are kept as the file has them take one form, that of opset 13 to 17, whatever opset the file is
// written in: arguments that were attributes once become constant operands, and the other way round.

#include "model/onnx/node.h"

namespace stagecraft {

// Nothing where the operator's meaning in that opset has no such form.
[[nodiscard]] bool makeCanonical(const OnnxNode &node, Operator &op);

} // namespace stagecraft
