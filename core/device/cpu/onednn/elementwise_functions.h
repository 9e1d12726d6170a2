#pragma once

// What element-wise operators compute: one value from one value of each operand. Source: the ONNX operator
// specification.

#include "operators/operator.h"

#include <functional>
#include <span>

namespace stagecraft::cpu {

using ElementwiseFunction = std::function<float(std::span<const float>)>;

// Empty if there is none for the type, or for this form of it.
[[nodiscard]] ElementwiseFunction elementwiseFunction(const Operator &op);

} // namespace stagecraft::cpu
