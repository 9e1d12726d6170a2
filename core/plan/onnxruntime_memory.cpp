#include "plan/onnxruntime_memory.h"

#include "plan/arena.h"
#include "plan/memory_pattern.h"
#include "plan/runtime_allocators.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::plan {
namespace {

// From the nodes that nobody reads up to what they read, the largest index first; each behind what it reads.
std::vector<std::size_t> depthFirst(const std::vector<std::vector<std::size_t>> &producers,
                                    const std::vector<std::size_t> &indexOf)
{
    struct Entry {
        std::size_t node = 0;
        bool isLeft = false; // all that it reads stands in the order
    };
    std::vector<bool> isRead(producers.size());
    for (const auto &read : producers) {
        for (const std::size_t producer : read)
            isRead[producer] = true;
    }
    std::vector<Entry> stack;
    const auto push = [&](std::vector<std::size_t> nodes) {
        std::ranges::sort(nodes, {}, [&](std::size_t node) { return indexOf[node]; });
        for (const std::size_t node : nodes)
            stack.push_back({node});
    };
    std::vector<std::size_t> leaves;
    for (std::size_t i = 0; i < producers.size(); ++i) {
        if (!isRead[i])
            leaves.push_back(i);
    }
    push(leaves);
    std::vector<std::size_t> order;
    std::vector<bool> isSeen(producers.size());
    while (!stack.empty()) {
        const Entry entry = stack.back();
        stack.pop_back();
        if (entry.isLeft) {
            order.push_back(entry.node);
        } else if (!isSeen[entry.node]) {
            isSeen[entry.node] = true;
            stack.push_back({entry.node, true});
            push(producers[entry.node]);
        }
    }
    return order;
}

bool canHold(const NodeAllocations &made, std::size_t held, std::size_t value)
{
    return !made.values[held].isInput && !made.values[held].isOutput && !made.values[value].isOutput &&
           made.values[held].shape == made.values[value].shape && made.values[held].bytes == made.values[value].bytes;
}

// Where one node runs after another, ONNX Runtime gives a tensor the memory of one of the same shape that is done.
class OneStreamRun {
public:
    explicit OneStreamRun(NodeAllocations made) : m_made(std::move(made)), m_left(m_made.readers())
    {
        m_holder.resize(m_made.values.size());
        for (std::size_t i = 0; i < m_holder.size(); ++i)
            m_holder[i] = m_made.values[i].viewOf.value_or(i);
    }

    ArenaUse use()
    {
        BfcArena arena(false);
        AllocatedValues first(arena);
        for (const AllocatingNode &node : m_made.nodes)
            runFirst(node, first);
        first.giveBackAll();
        // Later runs have one buffer for all but outputs and scratch memory.
        AllocatedValues later(arena);
        const std::size_t pattern = m_made.values.size();
        later.take(pattern, m_pattern.bytes(), 0);
        for (const AllocatingNode &node : m_made.nodes)
            runLater(node, later);
        later.giveBackAll();
        return {arena.heldBytes(), std::max(first.peakBytes(), later.peakBytes())};
    }

private:
    void runFirst(const AllocatingNode &node, AllocatedValues<BfcArena> &run)
    {
        for (const std::size_t value : node.makes)
            place(node, value, run);
        takeScratch(node, run);
        for (const std::size_t read : node.reads)
            endRead(m_holder[read], run);
        for (const std::size_t value : node.makes) {
            if (m_left[m_holder[value]] == 0)
                end(m_holder[value], run);
        }
    }
    void runLater(const AllocatingNode &node, AllocatedValues<BfcArena> &run) const
    {
        for (const std::size_t value : node.makes) {
            if (m_made.values[value].isOutput)
                run.take(value, m_made.values[value].bytes, 0);
        }
        takeScratch(node, run);
    }
    void takeScratch(const AllocatingNode &node, AllocatedValues<BfcArena> &run) const
    {
        const std::size_t scratch = m_made.values.size() + 1;
        run.take(scratch, node.scratchBytes, 0);
        run.giveBack(scratch);
    }

    void place(const AllocatingNode &node, std::size_t value, AllocatedValues<BfcArena> &run)
    {
        if (node.mayOverwrite) {
            for (const std::size_t read : node.reads) {
                const std::size_t holder = m_holder[read];
                if (m_left[holder] == 1 && canHold(m_made, holder, value)) {
                    hold(holder, value);
                    return;
                }
            }
        }
        const auto free =
            std::ranges::find_if(m_free, [&](std::size_t holder) { return canHold(m_made, holder, value); });
        if (free != m_free.end()) {
            hold(*free, value);
            const std::size_t holder = *free;
            m_free.erase(free);
            takeHolder(holder, run);
            return;
        }
        takeHolder(value, run);
    }
    void hold(std::size_t holder, std::size_t value)
    {
        m_holder[value] = holder;
        m_left[holder] += m_left[value];
    }
    void takeHolder(std::size_t value, AllocatedValues<BfcArena> &run)
    {
        const NodeValue &taken = m_made.values[value];
        run.take(value, taken.bytes, 0);
        if (!taken.isOutput)
            m_pattern.allocate(value, aligned(taken.bytes, BfcArena::kAlignment));
    }
    void endRead(std::size_t holder, AllocatedValues<BfcArena> &run)
    {
        if (--m_left[holder] == 0 && !m_made.values[holder].isInput)
            end(holder, run);
    }
    void end(std::size_t holder, AllocatedValues<BfcArena> &run)
    {
        if (m_made.values[holder].isOutput || std::ranges::find(m_free, holder) != m_free.end())
            return;
        m_free.insert(m_free.begin(), holder);
        run.giveBack(holder);
        m_pattern.free(holder);
    }

    NodeAllocations m_made;
    std::vector<std::size_t> m_left;   // by value: nodes that are still to read it
    std::vector<std::size_t> m_holder; // by value: the one it lies in
    std::vector<std::size_t> m_free;   // last freed first
    MemoryPattern m_pattern;
};

// Streams side by side, in time.
class StreamsRun {
public:
    StreamsRun(const NodeAllocations &made, bool perStream)
        : m_made(made), m_arena(perStream), m_values(m_arena), m_producers(made.producers())
    {
    }

    ArenaUse use()
    {
        run(); // the second run finds the first one's regions
        run();
        return {m_arena.heldBytes(), m_values.peakBytes()};
    }

private:
    struct Running {
        std::size_t node = 0;
        double endsAt = 0;
    };

    void run()
    {
        m_left = m_made.readers();
        m_isDone.assign(m_made.nodes.size(), false);
        m_waiting.assign(1, {});
        for (std::size_t i = m_made.nodes.size(); i-- > 0;) { // the next one is the last
            const std::size_t stream = m_made.nodes[i].stream;
            m_waiting.resize(std::max(m_waiting.size(), stream + 1));
            m_waiting[stream].push_back(i);
        }
        std::vector<std::optional<Running>> running(m_waiting.size());
        double now = 0;
        for (std::size_t done = 0; done < m_made.nodes.size(); ++done) {
            for (std::size_t stream = 0; stream < running.size(); ++stream) {
                if (!running[stream] && canStart(stream))
                    running[stream] = start(stream, now);
            }
            auto &next = *std::ranges::min_element(running, {}, [](const std::optional<Running> &one) {
                return one ? one->endsAt : std::numeric_limits<double>::infinity();
            });
            now = next->endsAt;
            end(next->node);
            next.reset();
        }
        m_values.giveBackAll(); // outputs
    }
    [[nodiscard]] bool canStart(std::size_t stream) const
    {
        return !m_waiting[stream].empty() && std::ranges::all_of(m_producers[m_waiting[stream].back()],
                                                                 [&](std::size_t node) { return m_isDone[node]; });
    }
    [[nodiscard]] std::size_t scratchOf(std::size_t node) const { return m_made.values.size() + node; }
    Running start(std::size_t stream, double now)
    {
        const std::size_t i = m_waiting[stream].back();
        m_waiting[stream].pop_back();
        const AllocatingNode &node = m_made.nodes[i];
        for (const std::size_t value : node.makes)
            m_values.take(value, m_made.values[value].bytes, stream);
        m_values.take(scratchOf(i), node.scratchBytes, stream);
        return {i, now + node.work};
    }
    void end(std::size_t i)
    {
        m_isDone[i] = true;
        m_values.giveBack(scratchOf(i));
        const AllocatingNode &node = m_made.nodes[i];
        for (const std::size_t read : node.reads) {
            if (--m_left[read] == 0)
                endValue(read);
        }
        for (const std::size_t value : node.makes) {
            if (m_left[value] == 0)
                endValue(value);
        }
    }
    void endValue(std::size_t value)
    {
        if (!m_made.values[value].isOutput)
            m_values.giveBack(value);
    }

    const NodeAllocations &m_made;
    BfcArena m_arena;
    AllocatedValues<BfcArena> m_values;
    std::vector<std::vector<std::size_t>> m_producers; // by node
    std::vector<std::size_t> m_left;                   // by value: nodes that are still to read it
    std::vector<bool> m_isDone;                        // by node
    std::vector<std::vector<std::size_t>> m_waiting;   // by stream: its nodes, the next one last
};

} // namespace

NodeAllocations inOrderOfOnnxRuntime(NodeAllocations nodes)
{
    const auto producers = nodes.producers();
    std::vector<std::size_t> indexOf(nodes.nodes.size());
    std::iota(indexOf.begin(), indexOf.end(), std::size_t{0});
    // A fused node is a new one, and numbered behind all others.
    std::size_t next = indexOf.size();
    for (const std::size_t node : depthFirst(producers, indexOf)) {
        if (nodes.nodes[node].isFused)
            indexOf[node] = next++;
    }
    std::vector<AllocatingNode> ordered;
    for (const std::size_t node : depthFirst(producers, indexOf))
        ordered.push_back(std::move(nodes.nodes[node]));
    nodes.nodes = std::move(ordered);
    return nodes;
}

ArenaUse arenaOfOneStream(NodeAllocations nodes)
{
    return OneStreamRun(std::move(nodes)).use();
}

ArenaUse arenaOfStreams(const NodeAllocations &nodes, bool perStream)
{
    return StreamsRun(nodes, perStream).use();
}

} // namespace stagecraft::plan
