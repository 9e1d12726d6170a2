#pragma once

// One declarative table of what the program knows about each kind of operator: its names, whether its operands are
// added or joined, its arithmetic, and how its output shape follows from its inputs.

#include "graph/operator.h"
#include "support/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

class Graph;

struct OperatorFacts {
    OperatorKind kind;
    std::string_view name; // "Conv", "Pool", ...
    bool expressionInput;  // true: operands form one tensor (a concat of sums); false: they stay apart
};

[[nodiscard]] const OperatorFacts &factsOf(OperatorKind kind);

// The name the field uses, from kind and attributes: "Conv-Relu", "Relu-SepConv", "MaxPool", "Concat", "Add", ...
// For Unknown and other generic operators it is `op.type`.
[[nodiscard]] std::string displayType(const Operator &op);

// Output shape from the input shapes, one per operand of the expression in order. Refuses what does not fit: a wrong
// channel count, a window larger than the padded input, summands of different shapes, a size that is not positive or
// absurdly large.
[[nodiscard]] Result<Shape> inferShape(const Operator &op, std::span<const Shape> operandShapes);

// The shape of a concat of sums: parts[i] are the shapes of the summands of part i.
[[nodiscard]] Result<Shape> expressionShape(const InputExpression &inputs, std::span<const Shape> operandShapes);

// Multiply-adds times two in one execution; bytes read and written, each once, weights included.
[[nodiscard]] double flops(const Graph &graph, OperatorId id);
[[nodiscard]] double memoryBytes(const Graph &graph, OperatorId id);

} // namespace stagecraft
