#include "device/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace stagecraft {
namespace {

std::size_t aligned(std::size_t bytes, std::size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

bool liveTogether(const BufferLife &a, const BufferLife &b)
{
    return a.firstStage <= b.lastStage && b.firstStage <= a.lastStage;
}

} // namespace

MemoryPlan planMemory(std::span<const BufferLife> buffers, std::size_t alignment)
{
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return buffers[i].bytes; });

    MemoryPlan plan;
    plan.offsets.resize(buffers.size());
    std::vector<std::size_t> placed; // ascending by offset
    for (const std::size_t buffer : order) {
        const std::size_t bytes = aligned(buffers[buffer].bytes, alignment);
        std::size_t offset = 0;
        for (const std::size_t other : placed) {
            if (!liveTogether(buffers[buffer], buffers[other]))
                continue;
            if (plan.offsets[other] >= offset + bytes)
                break; // it fits in the gap before `other`
            offset = std::max(offset, plan.offsets[other] + aligned(buffers[other].bytes, alignment));
        }
        plan.offsets[buffer] = offset;
        plan.bytes = std::max(plan.bytes, offset + bytes);
        const auto behind =
            std::ranges::upper_bound(placed, offset, {}, [&](std::size_t i) { return plan.offsets[i]; });
        placed.insert(behind, buffer);
    }
    return plan;
}

} // namespace stagecraft
