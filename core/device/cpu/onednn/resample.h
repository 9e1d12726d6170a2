#pragma once

// Resizes images in their own layout, on all threads.

#include "device/cpu/onednn/layout.h"

#include <cstdint>
#include <vector>

namespace stagecraft::cpu {

// The source rows or columns of each result: `lower` and `upper`, with `weight` for `upper`.
struct Sampled {
    std::vector<std::int64_t> lower;
    std::vector<std::int64_t> upper;
    std::vector<float> weight; // all 0: `lower` alone
};

// `layout` is that of the source, with `inWidth` columns.
void resample(const float *from, const ChannelLayout &layout, std::int64_t inWidth, float *to, const Sampled &rows,
              const Sampled &columns);

} // namespace stagecraft::cpu
