#include "plan/arena.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::plan {
namespace {

constexpr int kRounds = 60;

// Buffers that have their place, by the stages of their lives.
class PlacedBuffers {
public:
    explicit PlacedBuffers(std::span<const BufferLife> buffers) : m_buffers(buffers)
    {
        std::size_t stages = 0;
        for (const BufferLife &buffer : buffers)
            stages = std::max(stages, buffer.lastStage + 1);
        m_begin.resize(stages);
        m_live.resize(stages);
    }

    void add(std::size_t buffer)
    {
        const BufferLife &life = m_buffers[buffer];
        m_begin[life.firstStage].push_back(buffer);
        for (std::size_t stage = life.firstStage; stage <= life.lastStage; ++stage)
            m_live[stage].push_back(buffer);
    }

    // Those that are live in one of its stages: in its first one, or they begin later.
    void liveWith(const BufferLife &life, std::vector<std::size_t> &found) const
    {
        found = m_live[life.firstStage];
        for (std::size_t stage = life.firstStage + 1; stage <= life.lastStage; ++stage)
            found.insert(found.end(), m_begin[stage].begin(), m_begin[stage].end());
    }

private:
    std::span<const BufferLife> m_buffers;
    std::vector<std::vector<std::size_t>> m_begin; // by stage
    std::vector<std::vector<std::size_t>> m_live;  // by stage
};

// Each buffer in this order goes to the lowest place that is free while it lives.
Arena placeInOrder(std::span<const BufferLife> buffers, std::span<const std::size_t> order, std::size_t alignment)
{
    Arena arena;
    arena.offsets.resize(buffers.size());
    PlacedBuffers placed(buffers);
    std::vector<std::size_t> others;
    for (const std::size_t buffer : order) {
        const std::size_t bytes = aligned(buffers[buffer].bytes, alignment);
        placed.liveWith(buffers[buffer], others);
        std::ranges::sort(others, {}, [&](std::size_t i) { return arena.offsets[i]; });
        std::size_t offset = 0;
        for (const std::size_t other : others) {
            if (arena.offsets[other] >= offset + bytes)
                break; // it fits in the gap before `other`
            offset = std::max(offset, arena.offsets[other] + aligned(buffers[other].bytes, alignment));
        }
        arena.offsets[buffer] = offset;
        arena.bytes = std::max(arena.bytes, offset + bytes);
        placed.add(buffer);
    }
    return arena;
}

// No arrangement takes less.
std::size_t largestLiveBytes(std::span<const BufferLife> buffers, std::size_t alignment)
{
    std::vector<BufferLife> padded(buffers.begin(), buffers.end());
    std::size_t stages = 0;
    for (BufferLife &buffer : padded) {
        buffer.bytes = aligned(buffer.bytes, alignment);
        stages = std::max(stages, buffer.lastStage + 1);
    }
    const std::vector<std::size_t> live = liveBytes(padded, stages);
    return live.empty() ? 0 : std::ranges::max(live);
}

} // namespace

Arena arrange(std::span<const BufferLife> buffers, std::size_t alignment)
{
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return buffers[i].bytes; });
    Arena best = placeInOrder(buffers, order, alignment);
    const std::size_t least = largestLiveBytes(buffers, alignment);
    // A buffer that ends the arena came too late: it goes first.
    Arena current = best;
    for (int round = 0; round < kRounds && best.bytes > least; ++round) {
        const auto ends = [&](std::size_t i) {
            return current.offsets[i] + aligned(buffers[i].bytes, alignment) == current.bytes;
        };
        const auto last = std::ranges::find_if(order, ends);
        std::rotate(order.begin(), last, last + 1);
        current = placeInOrder(buffers, order, alignment);
        if (current.bytes < best.bytes)
            best = current;
    }
    return best;
}

std::vector<std::size_t> liveBytes(std::span<const BufferLife> buffers, std::size_t stages)
{
    std::vector<std::size_t> live(stages);
    for (const BufferLife &buffer : buffers) {
        for (std::size_t stage = buffer.firstStage; stage < stages && buffer.isLive(stage); ++stage)
            live[stage] += buffer.bytes;
    }
    return live;
}

} // namespace stagecraft::plan
