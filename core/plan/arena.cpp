#include "plan/arena.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::plan {
namespace {

bool liveTogether(const BufferLife &a, const BufferLife &b)
{
    return a.firstStage <= b.lastStage && b.firstStage <= a.lastStage;
}

} // namespace

Arena arrange(std::span<const BufferLife> buffers, std::size_t alignment)
{
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return buffers[i].bytes; });

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
