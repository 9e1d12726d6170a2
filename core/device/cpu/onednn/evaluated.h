#pragma once

// Operators that oneDNN and the kernels of this folder do not execute: other types than float32, tensors without
// elements, sizes that values decide, and rare ones. They run through the program's own definition
// (operators/kernels/kernel.h), on one thread.

#include "device/cpu/onednn/emitter.h"

namespace stagecraft::cpu {

// Refuses an operator that the evaluator does not have, by its type.
[[nodiscard]] Result<void> emitEvaluated(Emitter &emitter, const Operator &op);

} // namespace stagecraft::cpu
