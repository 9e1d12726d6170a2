#pragma once

// Values of an operator's constants.

#include "operators/operator.h"

#include <memory>
#include <vector>

namespace stagecraft {

// Row-major values as floats, shape.elements() of them.
[[nodiscard]] inline std::shared_ptr<const std::vector<float>> parameterValues(const Parameter &parameter)
{
    return floatsOf(parameter.values);
}

} // namespace stagecraft
