#pragma once

#include "operators/tensor.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

// Values of a tensor, row-major.
struct HostTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
};

} // namespace stagecraft
