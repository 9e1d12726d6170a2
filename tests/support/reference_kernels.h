#pragma once

// Operators of model files by their definition (the ONNX operator specification), one number at a time and in double
// precision: the reference for devices. What the program folds (operators/folding/fold.h) is its own reference.

#include "operators/node_facts.h"

#include <optional>
#include <vector>

namespace stagecraft::test {

// The values of all outputs, row-major, from operands that are all constants; empty if there is no reference for the
// type. The node has the form of opset 13 to 17.
[[nodiscard]] std::optional<std::vector<std::vector<float>>> referenceOutputs(const NodeFacts &node);

} // namespace stagecraft::test
