#pragma once

// Converts tensor values between the host's row-major float32 and the bytes of a view on the device.

#include "gpu/plan/task.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft::gpu {

// `strides` leave no gap: there are as many elements as `dims` give.
[[nodiscard]] std::vector<std::byte> packed(std::span<const float> values, const Extent &dims, const Extent &strides,
                                            Precision precision);

// Writes the values into bytes that cover the view's whole span; bytes in between stay.
void scatter(std::span<const float> values, const View &view, Precision precision, std::span<std::byte> bytes);
[[nodiscard]] std::vector<float> gathered(std::span<const std::byte> bytes, const View &view, Precision precision);

// IEEE 754 half precision; rounds to nearest, ties to even.
[[nodiscard]] std::uint16_t toHalf(float value);
[[nodiscard]] float fromHalf(std::uint16_t bits);

} // namespace stagecraft::gpu
