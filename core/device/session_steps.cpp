#include "device/session_steps.h"

#include <algorithm>

namespace stagecraft {

Result<const HostTensor *> inputFor(const Tensor &tensor, std::span<const HostTensor> inputs)
{
    const auto given = std::ranges::find(inputs, tensor.name, &HostTensor::name);
    if (given == inputs.end())
        return fail(ErrorCode::WrongUse, "no values are given for input " + tensor.name);
    if (given->shape != tensor.shape || static_cast<std::int64_t>(given->values.size()) != tensor.shape.elements())
        return fail(ErrorCode::WrongUse, "input " + tensor.name + " is " + toString(given->shape) + " but must be " +
                                             toString(tensor.shape));
    return &*given;
}

} // namespace stagecraft
