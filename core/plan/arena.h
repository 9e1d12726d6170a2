#pragma once

// Buffers in one arena: buffers that are never live at the same time may share bytes. Offsets are multiples of an
// alignment. Greedy by size, improved while some stage needs less than the arena; the result is deterministic.

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft::plan {

struct BufferLife {
    std::size_t bytes = 0;
    std::size_t firstStage = 0; // first stage that writes or reads it
    std::size_t lastStage = 0;

    [[nodiscard]] bool isLive(std::size_t stage) const { return firstStage <= stage && stage <= lastStage; }

    friend bool operator==(const BufferLife &, const BufferLife &) = default;
};

struct Arena {
    std::vector<std::size_t> offsets; // one per buffer
    std::size_t bytes = 0;            // size of the arena

    friend bool operator==(const Arena &, const Arena &) = default;
};

// Live at the same time are those that are live in the same stage.
[[nodiscard]] Arena arrange(std::span<const BufferLife> buffers, std::size_t alignment);

// By buffer: all others that are live at the same time, whatever their stages say. Those of one stage are among them.
using Conflicts = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Arena arrange(std::span<const BufferLife> buffers, const Conflicts &conflicts, std::size_t alignment);

// Bytes of the buffers that are live in each of `stages` stages. No arrangement needs less than the largest.
[[nodiscard]] std::vector<std::size_t> liveBytes(std::span<const BufferLife> buffers, std::size_t stages);

// Rounds up to a multiple of the alignment.
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes, std::size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace stagecraft::plan
