#pragma once

// Operators that are kept as in the model file: element-wise arithmetic, and everything that moves, reduces or rescales
// values. Source: the ONNX operator specification.

#include "device/cpu/onednn/emitter.h"

namespace stagecraft::cpu {

// InvalidInput, naming the type, where the program has no kernel for it or for this form of it.
[[nodiscard]] Result<void> emitGeneric(Emitter &emitter, const Operator &op);

// Parts of emitGeneric, one file each, for the types that it knows them by. False: there is no kernel for this form.
[[nodiscard]] Result<bool> emitElementwise(Emitter &emitter, const Operator &op);
[[nodiscard]] Result<bool> emitMovement(Emitter &emitter, const Operator &op);
[[nodiscard]] Result<bool> emitResize(Emitter &emitter, const Operator &op);
[[nodiscard]] Result<bool> emitProduct(Emitter &emitter, const Operator &op);
[[nodiscard]] Result<bool> emitNormalize(Emitter &emitter, const Operator &op);
[[nodiscard]] Result<bool> emitReduction(Emitter &emitter, const Operator &op);

} // namespace stagecraft::cpu
