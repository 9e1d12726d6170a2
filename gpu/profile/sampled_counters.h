#pragma once

// What a sampling run saw, put onto the time axis of a traced run. The two are different runs: sampling holds the
// clocks still, so the same kernels take another time. Samples of one run of the program lie between idle stretches;
// they are stretched to the traced length, and a note says by how much.

#include "timeline/timeline.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::gpu {

struct CounterSample {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    double activeWarps = 0;   // over the whole device
    double activePercent = 0; // SMs with at least one warp
    double dramBytesPerSecond = 0;
};

// The samples of each run of the program: those with an active SM, idle ones between them included, apart by more than
// `gapNs`.
[[nodiscard]] std::vector<std::span<const CounterSample>> burstsOf(std::span<const CounterSample> samples,
                                                                   std::int64_t gapNs);

struct SampledMaxima {
    double warps = 0;
    double dramBytesPerSecond = 0; // 0: unknown
};

// Adds the burst of median length as counters "active warps", "SM occupancy" and "DRAM bandwidth", in front of the
// others, so that what was sampled is seen first. Without a burst, a note says that nothing was sampled.
void addSampled(Timeline &timeline, std::span<const CounterSample> samples, std::int64_t intervalNs, std::int64_t gapNs,
                const SampledMaxima &maxima);

} // namespace stagecraft::gpu
