#pragma once

// How oneDNN describes a tensor in memory. Headers in this folder may include oneDNN's, others do not include them.

#include "operators/values/tensor.h"
#include "plan/view.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

namespace stagecraft::cpu {

using Desc = dnnl::memory::desc;
using plan::TensorLayout;

// Shapes of rank 0 become one element of rank 1, as oneDNN knows no scalars.
[[nodiscard]] dnnl::memory::dims dimsOf(const Shape &shape);
[[nodiscard]] Desc plainDesc(const dnnl::memory::dims &dims);
[[nodiscard]] Desc anyDesc(const dnnl::memory::dims &dims);
[[nodiscard]] Desc channelsLast(const dnnl::memory::dims &dims,
                                std::int64_t pitch); // images whose channels are part of larger ones
[[nodiscard]] Desc arranged(const dnnl::memory::dims &dims, TensorLayout layout); // images; plain for other ranks
[[nodiscard]] std::optional<TensorLayout> layoutOf(const Desc &desc); // empty: none that a plan knows, or with gaps
// Blocked views have no gaps.
[[nodiscard]] Desc descOf(const plan::View &view);

// How the channels of a tensor are strided, for kernels of our own; channels last count as one block of all channels.
// Empty where the layout is none that a plan knows.
struct ChannelLayout {
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t block = 1; // adjacent channels; the last block is padded with zeros
    std::int64_t pixels = 1;

    [[nodiscard]] std::int64_t paddedChannels() const { return (channels + block - 1) / block * block; }
    // Offset of the first pixel; the next one is `block` further on.
    [[nodiscard]] std::int64_t offset(std::int64_t image, std::int64_t channel) const
    {
        return (image * paddedChannels() + channel / block * block) * pixels + channel % block;
    }
};

[[nodiscard]] std::optional<ChannelLayout> channelLayoutOf(const Desc &desc);

// Distance between pixels, for images with their channels last; more than their channels where the tensor is part of a
// larger one. Empty for other layouts.
[[nodiscard]] std::optional<std::int64_t> pixelPitch(const Desc &desc);

} // namespace stagecraft::cpu
