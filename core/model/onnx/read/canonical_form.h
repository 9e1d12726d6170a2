#pragma once

// Operators that are kept as in the file get one form, that of opset 13 to 17, whatever the opset of the file:
// arguments that were attributes become constant operands, and the other way round.

#include "model/onnx/file/node.h"

namespace stagecraft {

// False if the operator has no such form in its opset.
[[nodiscard]] bool makeCanonical(const OnnxNode &node, Operator &op);

} // namespace stagecraft
