#pragma once

// What several messages have in common. Internal to this folder.

#include "operators/values/tensor.h"
#include "support/result.h"

#include <string>
#include <vector>
#include <worker.pb.h>

namespace stagecraft::worker {

// InvalidInput, for a message that cannot be right.
[[nodiscard]] tl::unexpected<Error> refuse(std::string message);

// Enumerations are sent as numbers.
template <typename Enum>
[[nodiscard]] Result<Enum> enumFrom(int value, Enum last)
{
    if (value < 0 || value > static_cast<int>(last))
        return refuse("value " + std::to_string(value) + " of an enumeration");
    return static_cast<Enum>(value);
}

[[nodiscard]] std::string bytesOf(const std::vector<float> &values);
// Refuses if the number of values does not match the shape.
[[nodiscard]] Result<std::vector<float>> floatsFrom(const std::string &bytes, const stagecraft::Shape &shape);

void write(const stagecraft::Shape &shape, Shape &message);
[[nodiscard]] stagecraft::Shape shapeFrom(const Shape &message);

} // namespace stagecraft::worker
