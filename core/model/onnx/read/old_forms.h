#pragma once

// Converts nodes of old opsets, and nodes that lose information, to the form that the rules expect.

#include "model/onnx/file/node.h"

namespace stagecraft {

// Before opset 7, arithmetic laid its second operand along the dimensions from `axis` on: a constant one gets the shape
// that broadcasts in the same way today.
void alignOldBroadcast(OnnxNode &node);

// What a node that passes its input on makes of it: weights have the type they are cast to, not the stored one.
[[nodiscard]] OperandFacts passedOn(const OnnxNode &node, OperandFacts value);

} // namespace stagecraft
