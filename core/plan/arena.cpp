#include "plan/arena.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::plan {
namespace {

constexpr int kRounds = 60;

bool liveTogether(const BufferLife &a, const BufferLife &b)
{
    return a.firstStage <= b.lastStage && b.firstStage <= a.lastStage;
}

// Each buffer in this order goes to the lowest place that is free while it lives.
Arena placed(std::span<const BufferLife> buffers, std::span<const std::size_t> order, std::size_t alignment)
{
    Arena arena;
    arena.offsets.resize(buffers.size());
    std::vector<std::size_t> placed; // ascending by offset
    for (const std::size_t buffer : order) {
        const std::size_t bytes = aligned(buffers[buffer].bytes, alignment);
        std::size_t offset = 0;
        for (const std::size_t other : placed) {
            if (!liveTogether(buffers[buffer], buffers[other]))
                continue;
            if (arena.offsets[other] >= offset + bytes)
                break; // it fits in the gap before `other`
            offset = std::max(offset, arena.offsets[other] + aligned(buffers[other].bytes, alignment));
        }
        arena.offsets[buffer] = offset;
        arena.bytes = std::max(arena.bytes, offset + bytes);
        const auto behind =
            std::ranges::upper_bound(placed, offset, {}, [&](std::size_t i) { return arena.offsets[i]; });
        placed.insert(behind, buffer);
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
    Arena best = placed(buffers, order, alignment);
    const std::size_t least = largestLiveBytes(buffers, alignment);
    // A buffer that ends the arena came too late: it goes first.
    Arena current = best;
    for (int round = 0; round < kRounds && best.bytes > least; ++round) {
        const auto ends = [&](std::size_t i) {
            return current.offsets[i] + aligned(buffers[i].bytes, alignment) == current.bytes;
        };
        const auto last = std::ranges::find_if(order, ends);
        std::rotate(order.begin(), last, last + 1);
        current = placed(buffers, order, alignment);
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
