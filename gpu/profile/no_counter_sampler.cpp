// In the place of counter_sampler.cpp, where CUPTI has nothing to sample counters with: toolkits before 12.6.

#include "gpu/cuda/failure.h"
#include "gpu/profile/counter_sampler.h"

namespace stagecraft::gpu {

SampledRun sampleCounters(const Cupti & /*cupti*/, int /*device*/, std::int64_t /*runNs*/,
                          const std::function<void()> & /*run*/)
{
    throw Failure{{ErrorCode::DeviceFailed,
                   "active warps are not sampled: this program was built with a CUDA toolkit before 12.6",
                   {},
                   {}},
                  false};
}

} // namespace stagecraft::gpu
