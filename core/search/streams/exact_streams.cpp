#include "search/streams/exact_streams.h"

#include "schedule/merge.h"
#include "search/interrupt.h"
#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stagecraft {
namespace {

// By operator of a graph of at most 64: those that come before it, as bits.
std::vector<std::uint64_t> ancestorsOf(const Graph &graph)
{
    std::vector<std::uint64_t> before(graph.size(), 0);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const OperatorId id : graph.predecessors(OperatorId::fromIndex(i)))
            before[i] |= before[id.index()] | std::uint64_t{1} << id.index();
    }
    return before;
}

// By operator: whether it can run beside another one, that is, comes neither before nor after it.
std::vector<bool> runBesideOthers(const Graph &graph)
{
    const std::vector<std::uint64_t> before = ancestorsOf(graph);
    const auto isBefore = [&](std::size_t one, std::size_t other) { return (before[other] >> one & 1) != 0; };
    std::vector<bool> beside(graph.size(), false);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (std::size_t j = 0; j < graph.size(); ++j)
            beside[i] = beside[i] || (i != j && !isBefore(i, j) && !isBefore(j, i));
    }
    return beside;
}

class AllStreams {
public:
    AllStreams(const Graph &graph, const Blocks &blocks, const TimedStreams &start, const StreamLatency &latency,
               const StreamSearchOptions &options, const std::stop_token &stop)
        : m_graph(graph), m_latency(latency), m_options(options), m_interrupt(stop, options.maxSeconds),
          m_blockOf(graph.size(), 0), m_result{start.streams, start.latencyUs, 0, StreamSearchEnd::Proved}
    {
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (const OperatorId id : blocks[block].operators)
                m_blockOf[id.index()] = block;
        }
    }

    Result<StreamSearchResult> search()
    {
        TRY(mergeFrom(0));
        if (m_isOver)
            m_result.end = m_interrupt.stopRequested() ? StreamSearchEnd::Stopped : StreamSearchEnd::Time;
        return m_result;
    }

private:
    using Item = std::vector<OperatorId>;

    // Gives the operators from `next` on to items.
    Result<void> mergeFrom(std::size_t next)
    {
        if (next == m_graph.size())
            return orderFrom();
        const OperatorId id = OperatorId::fromIndex(next);
        for (std::size_t i = 0; m_options.mayMerge && i < m_items.size(); ++i) {
            m_items[i].push_back(id);
            const bool isLegal = m_blockOf[m_items[i].front().index()] == m_blockOf[next] &&
                                 readTheSame(m_graph, m_items[i]) && mergedOperator(m_graph, m_items[i]).has_value();
            if (isLegal)
                TRY(mergeFrom(next + 1));
            m_items[i].pop_back();
        }
        m_items.push_back({id});
        TRY(mergeFrom(next + 1));
        m_items.pop_back();
        return {};
    }

    // Launches an item whose inputs are there next, on each stream so far and on a new one.
    Result<void> orderFrom()
    {
        if (m_isOver || m_interrupt.raised()) {
            m_isOver = true;
            return {};
        }
        if (m_launches.size() == m_items.size())
            return time();
        std::uint32_t streams = 0;
        for (const StreamLaunch &launch : m_launches)
            streams = std::max(streams, launch.stream + 1);
        for (const Item &item : m_items) {
            if (isLaunched(item.front()) || !isReady(item))
                continue;
            for (std::uint32_t stream = 0; stream <= streams; ++stream) {
                m_launches.push_back({item, stream});
                TRY(orderFrom());
                m_launches.pop_back();
            }
        }
        return {};
    }

    [[nodiscard]] bool isLaunched(OperatorId id) const
    {
        return std::ranges::any_of(m_launches, [&](const StreamLaunch &launch) {
            return std::ranges::find(launch.operators, id) != launch.operators.end();
        });
    }

    [[nodiscard]] bool isReady(const Item &item) const
    {
        return std::ranges::all_of(item, [&](OperatorId id) {
            return std::ranges::all_of(m_graph.predecessors(id), [&](OperatorId before) { return isLaunched(before); });
        });
    }

    Result<void> time()
    {
        Streams streams = allocated(m_graph, m_launches);
        const auto us = m_latency(streams);
        ++m_result.timed;
        if (!us)
            return us.error().code == ErrorCode::DeviceFailed || us.error().code == ErrorCode::Cancelled
                       ? Result<void>()
                       : tl::unexpected(us.error());
        if (*us < m_result.latencyUs && m_options.isAllowed(streams)) {
            m_result.latencyUs = *us;
            m_result.best = std::move(streams);
        }
        return {};
    }

    const Graph &m_graph;
    const StreamLatency &m_latency;
    const StreamSearchOptions &m_options;
    Interrupt m_interrupt;
    std::vector<std::size_t> m_blockOf; // by operator
    std::vector<Item> m_items;
    std::vector<StreamLaunch> m_launches;
    StreamSearchResult m_result;
    bool m_isOver = false; // before all were tried
};

} // namespace

bool hasFewStreams(const Graph &graph, std::size_t most)
{
    constexpr std::size_t kAround = 2;
    if (graph.size() > std::min<std::size_t>(most + kAround, 64))
        return false;
    return static_cast<std::size_t>(std::ranges::count(runBesideOthers(graph), true)) <= most;
}

Result<StreamSearchResult> searchAllStreams(const Graph &graph, const Blocks &blocks, const TimedStreams &start,
                                            const StreamLatency &latency, const StreamSearchOptions &options,
                                            const std::stop_token &stop)
{
    return AllStreams(graph, blocks, start, latency, options, stop).search();
}

} // namespace stagecraft
