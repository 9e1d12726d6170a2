#pragma once

// Operators oneDNN has no primitive for, or that come with the attributes of the model file as text.

#include "cpu/onednn/emitter.h"

namespace stagecraft::cpu {

// InvalidInput, naming the type, where the program has no kernel for it or does not understand an attribute.
[[nodiscard]] Result<void> emitGeneric(Emitter &emitter, const Operator &op);

} // namespace stagecraft::cpu
