#pragma once

// The convolutions and matrix products of a profile as measured kernels: calls of PyTorch's operators with the shapes
// of their operands, each with the time of all kernels that it launched.
//
// Calls with equal shapes are one kernel with the median of their times. A trace does not say stride and padding: they
// follow from the shapes of the convolution and of what read its result. Grouped convolutions, and calls whose operands
// are not written down, are left out; only forward passes count.

#include "device/recorded/profiles/profile.h"
#include "device/simulated/fit/measured_kernels.h"

#include <vector>

namespace stagecraft {

// In the order in which the program called them first.
[[nodiscard]] std::vector<MeasuredKernel> kernelsOf(const Profile &profile);

} // namespace stagecraft
