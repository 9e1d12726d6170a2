#pragma once

// Steps that sessions of devices which really execute have in common.

#include "device/device.h"
#include "graph/tensor.h"

#include <span>

namespace stagecraft {

// The one of `inputs` that is for the tensor. Errors: WrongUse (none is, or its shape is another), naming the tensor.
[[nodiscard]] Result<const HostTensor *> inputFor(const Tensor &tensor, std::span<const HostTensor> inputs);

} // namespace stagecraft
