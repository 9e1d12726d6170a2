#pragma once

// The operands and attributes of an operator that is kept as the model file has it.

#include "cpu/onednn/emitter.h"
#include "cpu/onednn/generic_kernels.h"

#include <optional>
#include <string>

namespace stagecraft::cpu {

struct Operand {
    TensorId tensor;                     // invalid for a constant
    const Parameter *constant = nullptr; // null for a tensor

    [[nodiscard]] Dims dims(const Graph &graph) const;
};

// By their places; a place may be empty where the file leaves it out.
[[nodiscard]] std::vector<std::optional<Operand>> operandsOf(const Operator &op);

// The values of the constant in this place; nothing where there is none.
[[nodiscard]] std::optional<std::vector<float>> constantAt(const Operator &op, std::size_t place);

// Attributes, `fallback` where the file does not say.
[[nodiscard]] std::int64_t integer(const Operator &op, std::string_view name, std::int64_t fallback);
[[nodiscard]] float real(const Operator &op, std::string_view name, float fallback);
[[nodiscard]] std::string text(const Operator &op, std::string_view name, std::string fallback);
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name);
// From the attribute, or from the constant in `place`, as newer files have it.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name,
                                                                std::size_t place);

[[nodiscard]] std::size_t axisIn(std::int64_t axis, std::size_t rank); // counts from the end where negative

// Row-major: the operand where it is a tensor, its values where it is a constant.
[[nodiscard]] Place plainOperand(Emitter &emitter, const Operator &op, const Operand &operand);

// Runs a kernel over row-major operands into row-major output `index`, which is then brought into its layout.
void emitPlain(Emitter &emitter, const Operator &op, const std::vector<Place> &operands, std::size_t index,
               std::function<void(std::span<const float *const>, float *)> kernel);

} // namespace stagecraft::cpu
