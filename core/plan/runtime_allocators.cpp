#include "plan/runtime_allocators.h"

#include <algorithm>
#include <bit>

namespace stagecraft::plan {
namespace {

constexpr std::size_t kMiB = std::size_t{1024} * 1024;
constexpr std::size_t kMostLeft = 128 * kMiB;     // of a chunk of ONNX Runtime's that is not cut
constexpr std::size_t kMostDoubled = 1024 * kMiB; // ONNX Runtime's regions double up to here
constexpr std::size_t kBlock = 512;               // what PyTorch rounds to
constexpr std::size_t kSmall = kMiB;              // up to here tensors are small for it

std::size_t regionFor(std::size_t bytes)
{
    if (bytes <= kSmall)
        return 2 * kMiB;
    return bytes < 10 * kMiB ? 20 * kMiB : aligned(bytes, 2 * kMiB);
}

} // namespace

BfcArena::BfcArena(bool hasStreams)
    : m_hasStreams(hasStreams), m_nextBytes(kMiB),
      m_pool([](std::size_t chunk, std::size_t wanted) { return chunk >= 2 * wanted || chunk - wanted >= kMostLeft; })
{
}

BfcArena::Place BfcArena::take(std::size_t bytes, std::size_t stream)
{
    const std::size_t rounded = aligned(std::max(bytes, kAlignment), kAlignment);
    const std::size_t owner = m_hasStreams ? stream : 0;
    if (const auto place = m_pool.take(rounded, owner))
        return *place;
    const std::size_t enough = std::max(m_nextBytes, std::bit_ceil(rounded));
    m_pool.grow(enough);
    m_nextBytes = std::min(enough == m_nextBytes ? 2 * m_nextBytes : enough, kMostDoubled);
    return *m_pool.take(rounded, owner);
}

CachingAllocator::CachingAllocator()
    : m_small([](std::size_t chunk, std::size_t wanted) { return chunk - wanted >= kBlock; }),
      m_large([](std::size_t chunk, std::size_t wanted) { return chunk - wanted > kSmall; })
{
}

CachingAllocator::Place CachingAllocator::take(std::size_t bytes, std::size_t stream)
{
    const std::size_t rounded = aligned(std::max(bytes, kBlock), kBlock);
    const bool isSmall = rounded <= kSmall;
    ChunkPool &pool = isSmall ? m_small : m_large;
    if (const auto place = pool.take(rounded, stream))
        return {isSmall, *place};
    pool.grow(regionFor(rounded));
    return {isSmall, *pool.take(rounded, stream)};
}

} // namespace stagecraft::plan
