#pragma once

// What is known about one operator before it runs: its type, attributes, and operands in their places. The rules of the
// schema (shapes, folding) read nothing else, so they serve nodes of a model file and operators of a graph alike.

#include "operators/operator.h"
#include "operators/values/constant.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct OperandFacts {
    TensorId tensor; // invalid for a constant
    Shape shape;
    DataType type = DataType::Float32;
    std::shared_ptr<const Constant> constant; // null for a tensor
    // Of a tensor of computed sizes: none of its values is larger (operators/folding/size_bounds.h). Null: not known.
    std::shared_ptr<const Constant> bound = nullptr;
};

struct NodeFacts {
    static constexpr std::int64_t kNewestOpset = 21;

    std::string type; // with its domain in front if that is not ONNX's own
    std::int64_t opset = kNewestOpset;
    std::vector<NamedAttribute> attributes;
    std::vector<std::optional<OperandFacts>> inputs; // an entry is empty if left out
    std::size_t outputCount = 1;                     // at least 1

    [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
    [[nodiscard]] const Constant *constant(std::size_t i) const { return has(i) ? inputs[i]->constant.get() : nullptr; }
    [[nodiscard]] const Shape &shape(std::size_t i) const { return inputs[i]->shape; }
    [[nodiscard]] bool isTensor(std::size_t i) const { return has(i) && !inputs[i]->constant; }

    // Attributes. Those that the file does not give have the value of the schema, or 0, "" and no values.
    [[nodiscard]] bool gives(std::string_view key) const { return find(attributes, key) != nullptr; }
    [[nodiscard]] std::int64_t integer(std::string_view key) const;
    [[nodiscard]] float real(std::string_view key) const;
    [[nodiscard]] std::string text(std::string_view key) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
    [[nodiscard]] std::vector<float> reals(std::string_view key) const;

    // Integers that are an attribute in older opsets and an operand in newer ones; empty if the operand is not constant
    // or both are absent (`given` tells which).
    struct Integers {
        bool given = false;
        std::optional<std::vector<std::int64_t>> values;
    };
    [[nodiscard]] Integers integersFrom(std::string_view key, std::size_t input) const;
};

// Of an operator that is kept as in the model file. `operandShapes`: one per tensor it reads, in order.
[[nodiscard]] NodeFacts nodeFacts(const Operator &op, std::span<const Shape> operandShapes);

// A negative axis counts from the end. Empty if out of range.
[[nodiscard]] std::optional<std::size_t> axisWithin(std::int64_t axis, std::size_t rank);

} // namespace stagecraft
