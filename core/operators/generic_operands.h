#pragma once

// The operands and attributes of an operator that is kept as in the model file.

#include "operators/operator.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::generic {

struct Operand {
    TensorId tensor;                     // invalid for a constant
    const Parameter *constant = nullptr; // null for a tensor

    [[nodiscard]] std::vector<std::int64_t> dims(std::span<const Tensor> tensors) const; // those of the graph
};

// Indexed by place; a place is empty if the file leaves it out.
[[nodiscard]] std::vector<std::optional<Operand>> operandsOf(const Operator &op);

// The values of the constant in this place; empty if there is none.
[[nodiscard]] std::optional<std::vector<float>> constantAt(const Operator &op, std::size_t place);
[[nodiscard]] std::optional<std::vector<std::int64_t>> integersAt(const Operator &op, std::size_t place);

// Whether the operand in this place is computed: its values are unknown before the model runs.
[[nodiscard]] bool isComputed(const Operator &op, std::size_t place);

// Attributes. Those that the file does not give have the value of the schema, or 0, "" and no values.
[[nodiscard]] std::int64_t integer(const Operator &op, std::string_view name);
[[nodiscard]] float real(const Operator &op, std::string_view name);
[[nodiscard]] std::string text(const Operator &op, std::string_view name);
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name);
// From the attribute, or from the constant in `place`, as in newer files.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name,
                                                                std::size_t place);

[[nodiscard]] std::size_t axisIn(std::int64_t axis, std::size_t rank); // negative: counts from the end

} // namespace stagecraft::generic
