#pragma once

// How many thread blocks of a kernel one SM holds, by NVIDIA's own occupancy calculation (cuda_occupancy.h).

#include "gpu/profile/traced_timeline.h"

struct cudaDeviceProp;

namespace stagecraft::gpu {

[[nodiscard]] SmLimits smLimitsOf(const cudaDeviceProp &properties);

} // namespace stagecraft::gpu
