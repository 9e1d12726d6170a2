#pragma once

// Assigns buffers to one arena: buffers that are never live in the same stage may share bytes. Offsets are multiples of
// an alignment. Greedy by size; the result is deterministic.

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

struct BufferLife {
    std::size_t bytes = 0;
    std::size_t firstStage = 0; // first stage that writes or reads it
    std::size_t lastStage = 0;
};

struct MemoryPlan {
    std::vector<std::size_t> offsets; // one per buffer
    std::size_t bytes = 0;            // size of the arena
};

[[nodiscard]] MemoryPlan planMemory(std::span<const BufferLife> buffers, std::size_t alignment);

} // namespace stagecraft
