#pragma once

// Rescales images in the layout they lie in, on all threads.

#include "cpu/onednn/layout.h"

#include <cstdint>
#include <vector>

namespace stagecraft::cpu {

// Where each row or column of the result comes from: between `lower` and `upper`, `weight` of the latter.
struct Sampled {
    std::vector<std::int64_t> lower;
    std::vector<std::int64_t> upper;
    std::vector<float> weight; // all 0: the lower one alone
};

// `layout` is that of the source, with `inWidth` columns.
void resample(const float *from, const ChannelLayout &layout, std::int64_t inWidth, float *to, const Sampled &rows,
              const Sampled &columns);

} // namespace stagecraft::cpu
