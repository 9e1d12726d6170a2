#pragma once

// The operands of an operator that is kept as in the model file, ready for a kernel of our own.

#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/generic_kernels.h"
#include "operators/generic_operands.h"

namespace stagecraft::cpu {

using namespace generic;

// The operand as a row-major place, whether it is a tensor or a constant.
[[nodiscard]] Place plainOperand(Emitter &emitter, const Operator &op, const Operand &operand);

// Runs a kernel from row-major operands to a row-major output `index`, then converts the output to its layout.
void emitPlain(Emitter &emitter, const Operator &op, const std::vector<Place> &operands, std::size_t index,
               std::function<void(std::span<const float *const>, float *)> kernel);

} // namespace stagecraft::cpu
