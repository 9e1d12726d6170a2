#pragma once

// Real numbers of 16 bits: IEEE 754 binary16, and bfloat16 (the upper half of a binary32). Rounded to nearest, ties to
// even; too large numbers become infinite.

#include "operators/values/tensor.h"

#include <cstdint>

namespace stagecraft {

[[nodiscard]] std::uint16_t halfBits(float value);
[[nodiscard]] std::uint16_t bfloatBits(float value);
[[nodiscard]] float halfToFloat(std::uint16_t bits);
[[nodiscard]] float bfloatToFloat(std::uint16_t bits);

[[nodiscard]] constexpr bool isNarrowFloat(DataType type)
{
    return type == DataType::Float16 || type == DataType::BFloat16;
}
// The nearest number that the narrow type has.
[[nodiscard]] float roundedTo(DataType narrow, float value);

} // namespace stagecraft
