#include "plan/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace stagecraft::plan {
namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kMostPlaced = std::size_t{1} << 20; // buffers, in all rounds together

// Bytes that are taken: intervals that neither overlap nor touch.
class TakenBytes {
public:
    void add(std::size_t begin, std::size_t end)
    {
        auto next = m_ends.upper_bound(begin);
        if (next != m_ends.begin() && std::prev(next)->second >= begin)
            --next;
        for (; next != m_ends.end() && next->first <= end; next = m_ends.erase(next)) {
            begin = std::min(begin, next->first);
            end = std::max(end, next->second);
        }
        m_ends.emplace_hint(next, begin, end);
    }

    // The first byte from `offset` on that is not in the way of `bytes` there: `offset` itself if they are free.
    [[nodiscard]] std::size_t behind(std::size_t offset, std::size_t bytes) const
    {
        const auto next = m_ends.lower_bound(offset + bytes); // the first that begins behind them
        return next != m_ends.begin() && std::prev(next)->second > offset ? std::prev(next)->second : offset;
    }

private:
    std::map<std::size_t, std::size_t> m_ends; // by begin
};

// Buffers that have their place, by the stages of their lives: in a tree over the stages, whose nodes are ranges of
// them. A buffer covers a few nodes, and touches those above.
class PlacedBuffers {
public:
    explicit PlacedBuffers(std::size_t stages)
    {
        while (m_leaves < stages)
            m_leaves *= 2;
        m_covering.resize(2 * m_leaves);
        m_touching.resize(2 * m_leaves);
    }

    void add(const BufferLife &life, std::size_t begin, std::size_t end)
    {
        forNodes(
            life, [&](std::size_t node) { m_covering[node].add(begin, end); },
            [&](std::size_t node) { m_touching[node].add(begin, end); });
    }

    // The lowest offset where so many bytes are free in all stages of a life.
    [[nodiscard]] std::size_t lowest(const BufferLife &life, std::size_t bytes) const
    {
        std::vector<const TakenBytes *> taken; // by what lives in one of its stages
        forNodes(
            life,
            [&](std::size_t node) {
                taken.push_back(&m_covering[node]);
                taken.push_back(&m_touching[node]);
            },
            [&](std::size_t node) { taken.push_back(&m_covering[node]); });
        std::size_t offset = 0;
        for (bool isFree = false; !isFree;) {
            isFree = true;
            for (const TakenBytes *each : taken) {
                for (std::size_t next = each->behind(offset, bytes); next != offset;
                     next = each->behind(offset, bytes)) {
                    offset = next;
                    isFree = false;
                }
            }
        }
        return offset;
    }

private:
    // The nodes that a life consists of, and each node above one of them once.
    template <typename Covered, typename Above>
    void forNodes(const BufferLife &life, const Covered &covered, const Above &above) const
    {
        std::size_t left = life.firstStage + m_leaves;
        std::size_t right = life.lastStage + m_leaves + 1;
        std::vector<std::size_t> nodes;
        for (std::size_t from = left, to = right; from < to; from /= 2, to /= 2) {
            if (from % 2 == 1)
                nodes.push_back(from++);
            if (to % 2 == 1)
                nodes.push_back(--to);
        }
        std::vector<std::size_t> parents;
        for (const std::size_t node : nodes) {
            covered(node);
            for (std::size_t up = node / 2; up > 0; up /= 2)
                parents.push_back(up);
        }
        std::ranges::sort(parents);
        parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
        for (const std::size_t node : parents)
            above(node);
    }

    std::size_t m_leaves = 1;
    std::vector<TakenBytes> m_covering; // by node: of buffers that live in all its stages
    std::vector<TakenBytes> m_touching; // of those that live in a part of them
};

std::size_t stagesOf(std::span<const BufferLife> buffers)
{
    std::size_t stages = 0;
    for (const BufferLife &buffer : buffers)
        stages = std::max(stages, buffer.lastStage + 1);
    return stages;
}

// The same for lives that are not ranges of stages: each buffer knows those that it must not meet.
class PlacedApart {
public:
    PlacedApart(const Conflicts &conflicts) : m_conflicts(conflicts), m_taken(conflicts.size()) {}

    void add(std::size_t buffer, std::size_t begin, std::size_t end) { m_taken[buffer] = {begin, end}; }

    [[nodiscard]] std::size_t lowest(std::size_t buffer, std::size_t bytes) const
    {
        std::vector<std::pair<std::size_t, std::size_t>> taken;
        for (const std::size_t other : m_conflicts[buffer]) {
            if (m_taken[other].second > 0)
                taken.push_back(m_taken[other]);
        }
        std::ranges::sort(taken);
        std::size_t offset = 0;
        for (const auto &[begin, end] : taken) {
            if (begin >= offset + bytes)
                break;
            offset = std::max(offset, end);
        }
        return offset;
    }

private:
    const Conflicts &m_conflicts;
    std::vector<std::pair<std::size_t, std::size_t>> m_taken; // by buffer; empty: it has no place yet
};

// Each buffer in this order goes to the lowest place that is free while it lives.
Arena placeInOrder(std::span<const BufferLife> buffers, const Conflicts *conflicts, std::span<const std::size_t> order,
                   std::size_t alignment)
{
    Arena arena;
    arena.offsets.resize(buffers.size());
    const auto place = [&](const auto &lowest, const auto &add) {
        for (const std::size_t buffer : order) {
            const std::size_t bytes = aligned(buffers[buffer].bytes, alignment);
            if (bytes == 0)
                continue;
            const std::size_t offset = lowest(buffer, bytes);
            arena.offsets[buffer] = offset;
            arena.bytes = std::max(arena.bytes, offset + bytes);
            add(buffer, offset, offset + bytes);
        }
    };
    if (conflicts != nullptr) {
        PlacedApart placed(*conflicts);
        place([&](std::size_t buffer, std::size_t bytes) { return placed.lowest(buffer, bytes); },
              [&](std::size_t buffer, std::size_t begin, std::size_t end) { placed.add(buffer, begin, end); });
    } else {
        PlacedBuffers placed(stagesOf(buffers));
        place([&](std::size_t buffer, std::size_t bytes) { return placed.lowest(buffers[buffer], bytes); },
              [&](std::size_t buffer, std::size_t begin, std::size_t end) { placed.add(buffers[buffer], begin, end); });
    }
    return arena;
}

// The same lives, by the stages in which one begins or ends.
std::vector<BufferLife> withoutIdleStages(std::span<const BufferLife> buffers)
{
    std::vector<std::size_t> stages;
    for (const BufferLife &buffer : buffers) {
        stages.push_back(buffer.firstStage);
        stages.push_back(buffer.lastStage);
    }
    std::ranges::sort(stages);
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    const auto placeOf = [&](std::size_t stage) {
        return static_cast<std::size_t>(std::ranges::lower_bound(stages, stage) - stages.begin());
    };
    std::vector<BufferLife> lives(buffers.begin(), buffers.end());
    for (BufferLife &life : lives) {
        life.firstStage = placeOf(life.firstStage);
        life.lastStage = placeOf(life.lastStage);
    }
    return lives;
}

// No arrangement takes less.
std::size_t largestLiveBytes(std::span<const BufferLife> buffers, std::size_t alignment)
{
    std::vector<BufferLife> padded(buffers.begin(), buffers.end());
    for (BufferLife &buffer : padded)
        buffer.bytes = aligned(buffer.bytes, alignment);
    const std::vector<std::size_t> live = liveBytes(padded, stagesOf(padded));
    return live.empty() ? 0 : std::ranges::max(live);
}

Arena arranged(std::span<const BufferLife> given, const Conflicts *conflicts, std::size_t alignment)
{
    const std::vector<BufferLife> buffers = withoutIdleStages(given);
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return buffers[i].bytes; });
    Arena best = placeInOrder(buffers, conflicts, order, alignment);
    const std::size_t least = largestLiveBytes(buffers, alignment);
    // A buffer that ends the arena came too late: it goes first.
    Arena current = best;
    const std::size_t rounds = std::min(kRounds, kMostPlaced / std::max<std::size_t>(1, buffers.size()));
    for (std::size_t round = 0; round < rounds && best.bytes > least; ++round) {
        const auto ends = [&](std::size_t i) {
            return current.offsets[i] + aligned(buffers[i].bytes, alignment) == current.bytes;
        };
        const auto last = std::ranges::find_if(order, ends);
        std::rotate(order.begin(), last, last + 1);
        current = placeInOrder(buffers, conflicts, order, alignment);
        if (current.bytes < best.bytes)
            best = current;
    }
    return best;
}

} // namespace

Arena arrange(std::span<const BufferLife> buffers, std::size_t alignment)
{
    return arranged(buffers, nullptr, alignment);
}

Arena arrange(std::span<const BufferLife> buffers, const Conflicts &conflicts, std::size_t alignment)
{
    return arranged(buffers, &conflicts, alignment);
}

std::vector<std::size_t> liveBytes(std::span<const BufferLife> buffers, std::size_t stages)
{
    std::vector<std::size_t> live(stages); // first, by how much more there is than in the stage before
    for (const BufferLife &buffer : buffers) {
        if (buffer.firstStage >= stages || buffer.lastStage < buffer.firstStage)
            continue;
        live[buffer.firstStage] += buffer.bytes;
        if (buffer.lastStage + 1 < stages)
            live[buffer.lastStage + 1] -= buffer.bytes; // may wrap around, and then back
    }
    std::partial_sum(live.begin(), live.end(), live.begin());
    return live;
}

} // namespace stagecraft::plan
