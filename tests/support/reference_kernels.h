#pragma once

// Operators of model files by their definition (the ONNX operator specification), one number at a time and in double
// precision: the reference for devices. What the program folds (operators/folding/fold.h) is its own reference.

#include "operators/node_facts.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft::test {

// The values of all outputs, row-major, from operands that are all constants; empty if there is no reference for the
// type. The node has the form of opset 13 to 17.
[[nodiscard]] std::optional<std::vector<std::vector<float>>> referenceOutputs(const NodeFacts &node);

// Element-wise functions of operands of one shape with integers of one type, which wrap around; empty if there is no
// reference for the type.
[[nodiscard]] std::optional<std::vector<std::int64_t>> referenceIntegers(const NodeFacts &node);

// Whether referenceOutputs() does without what the program folds.
[[nodiscard]] bool isDefinedApart(std::string_view type);

} // namespace stagecraft::test
