#pragma once

// Samples hardware counters of the whole GPU through CUPTI's PM sampling while a program runs. Sampling locks the
// clocks, so nothing is timed meanwhile. One at a time per GPU. Sources: CUPTI documentation, "PM Sampling"; decoding
// on an H100: the notes of the project cupti-profiler ("CUPTI hardware findings", section 4).

#include "gpu/profile/cupti.h"
#include "gpu/profile/sampled_counters.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stagecraft::gpu {

inline constexpr std::int64_t kSampledGapNs = 200'000; // gaps between runs are larger, gaps within a run smaller

struct SampledRun {
    std::vector<CounterSample> samples; // ascending
    std::int64_t intervalNs = 0;
    std::vector<std::string> notes; // why the interval is not finer, and what was left out
};

// `run` runs the program once and leaves the device idle; it last took `runNs`. Runs it a few times, sampled every 5
// us, or every 10 us or more if CUPTI refuses that or the runs are too long; an image that is full is given more room.
// Throws Failure: the refusal as text, and what `run` throws. Refuses if STAGECRAFT_NO_SAMPLING is set: some drivers
// end the process while sampling, and the traced timeline would be lost. Refuses, too, where the toolkit that it was
// built with does not sample (before 12.6: no_counter_sampler.cpp).
[[nodiscard]] SampledRun sampleCounters(const Cupti &cupti, int device, std::int64_t runNs,
                                        const std::function<void()> &run);

} // namespace stagecraft::gpu
