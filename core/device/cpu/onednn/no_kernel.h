#pragma once

// How an operator without a kernel is refused.

#include "operators/operator.h"
#include "support/result.h"

namespace stagecraft::cpu {

// InvalidInput, naming its type.
[[nodiscard]] tl::unexpected<Error> noKernelFor(const Operator &op);

} // namespace stagecraft::cpu
