#pragma once

// Shapes and arithmetic of units with typed attributes, for the rows of kinds in schema.cpp.

#include "operators/operator.h"
#include "support/result.h"

namespace stagecraft::unit_rules {

// unit_shapes.cpp: the output, from the input expression as one tensor. The attributes are those of the kind.
[[nodiscard]] Result<Shape> convShape(const Operator &op, const Shape &input);
[[nodiscard]] Result<Shape> sepConvShape(const Operator &op, const Shape &input);
[[nodiscard]] Result<Shape> poolShape(const Operator &op, const Shape &input);
[[nodiscard]] Result<Shape> gemmShape(const Operator &op, const Shape &input);
[[nodiscard]] Result<Shape> sameShape(const Operator &op, const Shape &input);

// unit_flops.cpp: multiply-adds times two.
[[nodiscard]] double convFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double convTransposeFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double sepConvFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double poolFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double gemmFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double activationOnlyFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double elementFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double inputFlops(const Operator &op, const Shape &input, const Shape &output);
[[nodiscard]] double noFlops(const Operator &op, const Shape &input, const Shape &output);

} // namespace stagecraft::unit_rules
