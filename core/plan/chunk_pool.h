#pragma once

// Memory that an allocator of a runtime holds: regions, cut into chunks. A request takes the smallest free chunk that
// it fits in, at the lowest place; free chunks beside each other become one.

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::plan {

class ChunkPool {
public:
    struct Chunk {
        std::size_t region = 0;
        std::size_t bytes = 0;
        bool isUsed = false;
        std::optional<std::size_t> stream = {}; // that it belongs to; none yet: of any
    };
    using Place = std::list<Chunk>::iterator;

    // Whether a chunk of `chunk` bytes is cut where `wanted` are asked for.
    using Cuts = std::function<bool(std::size_t chunk, std::size_t wanted)>;
    explicit ChunkPool(Cuts cuts) : m_cuts(std::move(cuts)) {}

    // A free chunk for the stream; none is large enough: nothing.
    [[nodiscard]] std::optional<Place> take(std::size_t bytes, std::size_t stream);
    void giveBack(Place place);
    // One more region, free.
    void grow(std::size_t bytes);

    [[nodiscard]] std::size_t heldBytes() const { return m_heldBytes; }
    [[nodiscard]] std::size_t usedBytes() const { return m_usedBytes; } // whole chunks

private:
    Cuts m_cuts;
    std::vector<std::list<Chunk>> m_regions;
    std::size_t m_heldBytes = 0;
    std::size_t m_usedBytes = 0;
};

} // namespace stagecraft::plan
