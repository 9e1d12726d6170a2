#pragma once

// Kernels over dense runs of floats, split over the OpenMP width of the calling thread.

#include "cpu/onednn/layout.h"

#include <cstddef>
#include <span>

namespace stagecraft::cpu {

// to[i] = the sum of from[k][i] over k, or the larger of it and zero. `to` may be one of `from`.
void sumRuns(std::span<const float *const> from, float *to, std::size_t count, bool relu);

// Copies `count` channels of every image from one tensor into another, whatever their blocks.
void copyChannels(const float *from, const ChannelLayout &fromLayout, std::int64_t fromChannel, float *to,
                  const ChannelLayout &toLayout, std::int64_t toChannel, std::int64_t count);

// Blocked layouts promise zeros behind the last channel.
void zeroPadding(float *to, const ChannelLayout &layout);

} // namespace stagecraft::cpu
