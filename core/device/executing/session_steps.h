#pragma once

// What sessions of executing devices have in common.

#include "device/device.h"
#include "operators/values/tensor.h"

#include <span>

namespace stagecraft {

// The entry of `inputs` for the tensor. Errors: WrongUse if there is none or it has another shape, naming the tensor.
[[nodiscard]] Result<const HostTensor *> inputFor(const Tensor &tensor, std::span<const HostTensor> inputs);

// The values in another type. bfloat16 is held as float32.
[[nodiscard]] HostTensor asType(HostTensor tensor, DataType type);

} // namespace stagecraft
