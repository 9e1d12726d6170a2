#pragma once

// Samples hardware counters of the whole GPU through CUPTI's PM sampling while a program runs. Holds the clocks still
// as long as it samples: never while timing. One at a time per GPU. Sources: CUPTI documentation, "PM Sampling"; what
// decoding does on an H100: the notes of the project cupti-profiler ("CUPTI hardware findings", section 4).

#include "gpu/profile/counter_config.h"
#include "gpu/profile/sampled_counters.h"

#include <functional>

namespace stagecraft::gpu {

inline constexpr std::int64_t kSampledGapNs = 200'000; // runs are further apart, what is within one is closer

struct SampledRun {
    std::vector<CounterSample> samples; // ascending
    std::int64_t intervalNs = 0;
    std::vector<std::string> notes; // why not finer, and what was left out
};

// `run` runs the program once and leaves the device idle; it took `runNs` the last time. Runs it a few times, sampled
// every 5 us; every 10 us or more where CUPTI refuses that or where the runs are too long for it.
// Throws Failure: the refusal, in words; what `run` throws. Refuses where STAGECRAFT_NO_SAMPLING is set: a driver that
// ends the process while it samples takes the traced timeline with it.
[[nodiscard]] SampledRun sampleCounters(const Cupti &cupti, int device, std::int64_t runNs,
                                        const std::function<void()> &run);

} // namespace stagecraft::gpu
