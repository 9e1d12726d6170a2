#pragma once

// The allocators of runtimes, simulated: what they hold for what they are asked, with their usual settings.

#include "plan/arena.h"
#include "plan/chunk_pool.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace stagecraft::plan {

// ONNX Runtime's arena (BFCArena). Regions are powers of two and double up to 1 GiB, where less is asked for; a chunk
// is cut where at least as much is left as was asked for.
class BfcArena {
public:
    using Place = ChunkPool::Place;

    // hasStreams: a chunk belongs to the stream that took it first.
    explicit BfcArena(bool hasStreams);

    [[nodiscard]] Place take(std::size_t bytes, std::size_t stream);
    void giveBack(Place place) { m_pool.giveBack(place); }
    [[nodiscard]] std::size_t heldBytes() const { return m_pool.heldBytes(); }
    [[nodiscard]] std::size_t usedBytes() const { return m_pool.usedBytes(); }

    static constexpr std::size_t kAlignment = 256;

private:
    bool m_hasStreams;
    std::size_t m_nextBytes; // of the next region
    ChunkPool m_pool;
};

// PyTorch's caching allocator for CUDA. Small tensors lie in regions of 2 MiB, others in regions of 20 MiB, or of their
// own; a chunk belongs to the stream that took it first.
class CachingAllocator {
public:
    struct Place {
        bool isSmall = false;
        ChunkPool::Place chunk;
    };

    CachingAllocator();

    [[nodiscard]] Place take(std::size_t bytes, std::size_t stream);
    void giveBack(const Place &place) { (place.isSmall ? m_small : m_large).giveBack(place.chunk); }
    [[nodiscard]] std::size_t heldBytes() const { return m_small.heldBytes() + m_large.heldBytes(); }
    [[nodiscard]] std::size_t usedBytes() const { return m_small.usedBytes() + m_large.usedBytes(); }

private:
    ChunkPool m_small;
    ChunkPool m_large;
};

// What values have of an allocator, and the most of it at a time, as whole chunks.
template <typename Allocator>
class AllocatedValues {
public:
    explicit AllocatedValues(Allocator &allocator) : m_allocator(allocator) {}

    void take(std::size_t value, std::size_t bytes, std::size_t stream)
    {
        if (bytes == 0)
            return;
        m_places.emplace(value, m_allocator.take(bytes, stream));
        m_peakBytes = std::max(m_peakBytes, m_allocator.usedBytes());
    }
    void giveBack(std::size_t value)
    {
        if (const auto found = m_places.find(value); found != m_places.end()) {
            m_allocator.giveBack(found->second);
            m_places.erase(found);
        }
    }
    void giveBackAll()
    {
        while (!m_places.empty())
            giveBack(m_places.begin()->first);
    }
    [[nodiscard]] std::size_t peakBytes() const { return m_peakBytes; }

private:
    Allocator &m_allocator;
    std::map<std::size_t, typename Allocator::Place> m_places; // by value
    std::size_t m_peakBytes = 0;
};

} // namespace stagecraft::plan
