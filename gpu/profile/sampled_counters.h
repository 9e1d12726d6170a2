#pragma once

// Maps the samples of one run to the time axis of a traced run. The two runs differ: sampling locks the clocks, so
// kernels take another time. The samples of one run lie between idle gaps; they are stretched to the traced length, and
// a note says by how much.

#include "timing/timeline/timeline.h"

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

// The samples of each run of the program: those with an active SM and idle ones between them; runs are separated by
// more than `gapNs`.
[[nodiscard]] std::vector<std::span<const CounterSample>> burstsOf(std::span<const CounterSample> samples,
                                                                   std::int64_t gapNs);

struct SampledMaxima {
    double warps = 0;
    double dramBytesPerSecond = 0; // 0: unknown
};

// Adds the burst of median length as counters "active warps", "SM active" and "DRAM bandwidth", before the others,
// so that sampled counters are seen first. Without a burst, a note says that nothing was sampled.
void addSampled(Timeline &timeline, std::span<const CounterSample> samples, std::int64_t intervalNs, std::int64_t gapNs,
                const SampledMaxima &maxima);

} // namespace stagecraft::gpu
