#pragma once

// The location of a tensor or a part of one: an offset and a stride per axis, in elements of the program's precision.
// The element at (n, c, h, w) is at offset + n * strides[0] + c / block * strides[1] + h * strides[2] + w * strides[3]
// + c % block; other ranks likewise.

#include "operators/values/tensor_layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft::plan {

using stagecraft::channelBlock;
using stagecraft::TensorLayout;
using stagecraft::toString;

inline constexpr std::size_t kChannelAxis = 1;

using Extent = std::vector<std::int64_t>;

struct View {
    enum class Memory { Arena, Constant };

    Memory memory = Memory::Arena;
    std::size_t index = 0;   // of the buffer in the arena, or of the constant
    std::int64_t offset = 0; // elements from its start
    Extent dims;
    Extent strides;
    std::int64_t block = 1; // adjacent channels

    [[nodiscard]] std::int64_t elements() const;
    // Elements from the first to the last, inclusive.
    [[nodiscard]] std::int64_t span() const;

    friend bool operator==(const View &, const View &) = default;
};

// A whole buffer as a tensor.
[[nodiscard]] View denseView(std::size_t buffer, const Extent &dims, TensorLayout layout);

// Strides without gaps.
[[nodiscard]] Extent denseStrides(const Extent &dims, TensorLayout layout);
[[nodiscard]] Extent rowMajorStrides(const Extent &dims);
[[nodiscard]] bool isDense(const View &view, TensorLayout layout);
// Row-major or channels last, as the strides of an image, or of some of its channels, show; `otherwise` where they fit
// both.
[[nodiscard]] TensorLayout layoutOf(const View &view, TensorLayout otherwise);

// `count` positions of one axis, from `begin`. Channels of a blocked view: whole blocks, from the start of a block.
[[nodiscard]] View sliced(View view, std::size_t axis, std::int64_t begin, std::int64_t count, std::int64_t step = 1);

// Positions of one axis of a tensor of this layout: a dense view where they lie as a tensor of their own would.
[[nodiscard]] View partOf(const View &whole, TensorLayout layout, std::size_t axis, std::int64_t begin,
                          std::int64_t count);
[[nodiscard]] View channelsOf(const View &whole, TensorLayout layout, std::int64_t channel, std::int64_t channels);

// The view with as many axes as `dims`; axes of size one are repeated (stride 0). The axes must match, aligned at the
// last one.
[[nodiscard]] View broadcast(View view, const Extent &dims);

[[nodiscard]] std::int64_t elementsOf(const Extent &dims);
// With the padding of blocked layouts.
[[nodiscard]] std::int64_t storedElements(const Extent &dims, TensorLayout layout);

} // namespace stagecraft::plan
