#pragma once

// Samples hardware counters of the whole GPU through CUPTI's PM sampling while something runs. Holds the clocks still
// as long as it samples: never while timing. One at a time per GPU. Source: CUPTI documentation, "PM Sampling".

#include "gpu/profile/counter_config.h"
#include "gpu/profile/sampled_counters.h"

#include <functional>

namespace stagecraft::gpu {

struct SampledRun {
    std::vector<CounterSample> samples; // ascending
    std::int64_t intervalNs = 0;
};

// `body` runs the program and leaves the device idle. Sampled as finely as the buffers hold, at 10 us at the coarsest.
// Throws Failure: the refusal, in words.
[[nodiscard]] SampledRun sampleCounters(const Cupti &cupti, int device, const std::function<void()> &body);

} // namespace stagecraft::gpu
