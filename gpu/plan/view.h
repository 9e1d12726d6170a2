#pragma once

// The location of a tensor or a part of one: an offset and a stride per axis, in elements of the program's precision.

#include "gpu/plan/gpu_options.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft::gpu {

inline constexpr std::size_t kChannelAxis = 1;

using Extent = std::vector<std::int64_t>;

struct View {
    enum class Memory { Arena, Constant };

    Memory memory = Memory::Arena;
    std::size_t index = 0;   // of the buffer in the arena, or of the constant
    std::int64_t offset = 0; // elements from its start
    Extent dims;
    Extent strides;

    [[nodiscard]] std::int64_t elements() const;
    // Elements from the first to the last, inclusive.
    [[nodiscard]] std::int64_t span() const;

    friend bool operator==(const View &, const View &) = default;
};

// Strides without gaps. Images (four axes) follow the layout, everything else is row-major.
[[nodiscard]] Extent denseStrides(const Extent &dims, Layout layout);
[[nodiscard]] Extent rowMajorStrides(const Extent &dims);
[[nodiscard]] bool isDense(const View &view, Layout layout);

// `count` positions of one axis, from `begin`.
[[nodiscard]] View sliced(View view, std::size_t axis, std::int64_t begin, std::int64_t count, std::int64_t step = 1);

// The view with as many axes as `dims`; axes of size one are repeated (stride 0). The axes must match, aligned at the
// last one.
[[nodiscard]] View broadcast(View view, const Extent &dims);

[[nodiscard]] std::int64_t elementsOf(const Extent &dims);

} // namespace stagecraft::gpu
