#pragma once

// Operators that are kept as in the model file: movement as strided copies, arithmetic with broadcasting, softmax.
// Source: the ONNX operator specification. Private to gpu/plan.

#include "gpu/plan/group_writer.h"

namespace stagecraft::gpu {

// InvalidInput, naming the type: there is no kernel for it, or for this form of it.
[[nodiscard]] Result<void> checkGeneric(const Graph &graph, const Operator &op);

// The operator must have passed the check.
[[nodiscard]] Result<void> lowerGeneric(GroupWriter &writer, const Operator &op);

} // namespace stagecraft::gpu
