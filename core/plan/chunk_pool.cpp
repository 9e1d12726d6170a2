#include "plan/chunk_pool.h"

#include <iterator>

namespace stagecraft::plan {

std::optional<ChunkPool::Place> ChunkPool::take(std::size_t bytes, std::size_t stream)
{
    std::optional<Place> best;
    for (auto &region : m_regions) {
        for (auto chunk = region.begin(); chunk != region.end(); ++chunk) {
            const bool fits = !chunk->isUsed && chunk->bytes >= bytes && chunk->stream.value_or(stream) == stream;
            if (fits && (!best || chunk->bytes < (*best)->bytes))
                best = chunk;
        }
    }
    if (!best)
        return best;
    Chunk &chunk = **best;
    chunk.stream = stream;
    if (chunk.bytes > bytes && m_cuts(chunk.bytes, bytes)) {
        m_regions[chunk.region].insert(std::next(*best), {chunk.region, chunk.bytes - bytes, false, stream});
        chunk.bytes = bytes;
    }
    chunk.isUsed = true;
    m_usedBytes += chunk.bytes;
    return best;
}

void ChunkPool::giveBack(Place place)
{
    auto &region = m_regions[place->region];
    place->isUsed = false;
    m_usedBytes -= place->bytes;
    const auto takeIn = [&](Place into, Place other) {
        into->bytes += other->bytes;
        region.erase(other);
    };
    const auto next = std::next(place);
    if (next != region.end() && !next->isUsed && next->stream == place->stream)
        takeIn(place, next);
    if (place != region.begin()) {
        const auto before = std::prev(place);
        if (!before->isUsed && before->stream == place->stream)
            takeIn(before, place);
    }
}

void ChunkPool::grow(std::size_t bytes)
{
    m_regions.emplace_back().push_back({m_regions.size() - 1, bytes});
    m_heldBytes += bytes;
}

} // namespace stagecraft::plan
