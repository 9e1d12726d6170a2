#pragma once

#include "operators/values/tensor.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

// Values of a tensor, row-major.
struct HostTensor {
    std::string name;
    Shape shape;
    std::vector<float> values; // of float32
    DataType type = DataType::Float32;
    std::vector<std::byte> bytes = {}; // of any other type
};

} // namespace stagecraft
