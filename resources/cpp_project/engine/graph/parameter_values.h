#pragma once

// Values of an operator's constants.

#include "graph/operator.h"

#include <memory>
#include <vector>

namespace stagecraft {

// Row-major values, shape.elements() of them.
[[nodiscard]] inline std::shared_ptr<const std::vector<float>> parameterValues(const Parameter &parameter)
{
    return parameter.values;
}

} // namespace stagecraft
