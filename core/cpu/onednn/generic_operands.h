#pragma once

// The operands of an operator that is kept as the model file has it, ready for a kernel of our own.

#include "cpu/onednn/emitter.h"
#include "cpu/onednn/generic_kernels.h"
#include "graph/generic_operands.h"

namespace stagecraft::cpu {

using namespace generic;

// Row-major: the operand where it is a tensor, its values where it is a constant.
[[nodiscard]] Place plainOperand(Emitter &emitter, const Operator &op, const Operand &operand);

// Runs a kernel over row-major operands into row-major output `index`, which is then brought into its layout.
void emitPlain(Emitter &emitter, const Operator &op, const std::vector<Place> &operands, std::size_t index,
               std::function<void(std::span<const float *const>, float *)> kernel);

} // namespace stagecraft::cpu
