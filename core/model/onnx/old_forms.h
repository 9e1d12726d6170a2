#pragma once

// Nodes of old opsets, and nodes that lose what they pass on, brought into the form that the rules expect.

#include "model/onnx/node.h"

namespace stagecraft {

// Before opset 7, arithmetic laid its second operand along the dimensions from `axis` on: a constant one is given the
// shape that broadcasts alike today.
void alignOldBroadcast(OnnxNode &node);

// What a node that only passes its input on makes of it: weights are of the type they are cast to, not of the one they
// are stored in.
[[nodiscard]] OnnxValue passedOn(const OnnxNode &node, OnnxValue value);

} // namespace stagecraft
