#pragma once

// The number of thread blocks of a kernel that fit on one SM, from NVIDIA's occupancy calculation (cuda_occupancy.h).

#include "gpu/profile/traced_timeline.h"

struct cudaDeviceProp;

namespace stagecraft::gpu {

[[nodiscard]] SmLimits smLimitsOf(const cudaDeviceProp &properties);

} // namespace stagecraft::gpu
