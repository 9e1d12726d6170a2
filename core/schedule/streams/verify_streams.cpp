#include "schedule/streams/verify_streams.h"

#include "schedule/merge.h"
#include "schedule/streams/launch_order.h"
#include "schedule/streams/stream_events.h"
#include "schedule/verify_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace stagecraft {
namespace {

class StreamVerifier {
public:
    StreamVerifier(const Graph &graph, const Streams &streams) : m_graph(graph), m_streams(streams) {}

    [[nodiscard]] Result<void> verify() const
    {
        TRY(checkOperators());
        TRY(checkStreams());
        for (std::size_t i = 0; i < m_streams.launches.size(); ++i) {
            TRY(checkWaits(i));
            if (const StreamLaunch &launch = m_streams.launches[i]; launch.isMerged())
                TRY(mergedOperator(m_graph, launch.operators));
        }
        return checkReads();
    }

    [[nodiscard]] Result<void> checkBlocks(const Blocks &blocks) const
    {
        std::vector<std::size_t> blockOf(m_graph.size(), blocks.size());
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (const OperatorId id : blocks[block].operators)
                blockOf[id.index()] = block;
        }
        for (const StreamLaunch &launch : m_streams.launches) {
            for (const OperatorId id : launch.operators) {
                if (blockOf[id.index()] != blockOf[launch.operators.front().index()])
                    return refusedOperator(m_graph, id,
                                           fmt::format("is merged with {}, which is in another block",
                                                       m_graph.op(launch.operators.front()).name));
            }
        }
        return {};
    }

private:
    [[nodiscard]] std::string nameOf(std::size_t launch) const
    {
        return m_graph.op(m_streams.launches[launch].operators.front()).name;
    }

    [[nodiscard]] Result<void> checkOperators() const
    {
        std::vector<bool> isLaunched(m_graph.size(), false);
        for (const StreamLaunch &launch : m_streams.launches) {
            if (launch.operators.empty())
                return fail(ErrorCode::InvalidInput, "a launch has no operators");
            for (const OperatorId id : launch.operators) {
                if (!id.isValid() || id.index() >= m_graph.size())
                    return fail(ErrorCode::InvalidInput, "a stream names an operator the model does not have");
                if (isLaunched[id.index()])
                    return refusedOperator(m_graph, id, "is scheduled twice");
                isLaunched[id.index()] = true;
            }
            if (!std::ranges::is_sorted(launch.operators))
                return refusedOperator(m_graph, launch.operators.front(), "is merged, and the operators do not ascend");
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (!isLaunched[i])
                return refusedOperator(m_graph, OperatorId::fromIndex(i), "is in no stream");
        }
        return {};
    }

    [[nodiscard]] Result<void> checkStreams() const
    {
        std::vector<bool> isUsed(std::min<std::size_t>(m_streams.count, m_streams.launches.size()), false);
        for (const StreamLaunch &launch : m_streams.launches) {
            if (launch.stream >= m_streams.count)
                return refusedOperator(
                    m_graph, launch.operators.front(),
                    fmt::format("is on stream {}, but there are {}", launch.stream + 1, m_streams.count));
            if (launch.stream < isUsed.size())
                isUsed[launch.stream] = true;
        }
        const auto empty = std::ranges::find(isUsed, false);
        if (empty != isUsed.end() || m_streams.count > m_streams.launches.size())
            return fail(ErrorCode::InvalidInput, fmt::format("stream {} has no operators", empty - isUsed.begin() + 1));
        return {};
    }

    [[nodiscard]] Result<void> checkWaits(std::size_t index) const
    {
        const StreamLaunch &launch = m_streams.launches[index];
        const OperatorId here = launch.operators.front();
        for (const std::uint32_t before : launch.waits) {
            if (before >= m_streams.launches.size())
                return refusedOperator(m_graph, here, "waits for a launch that there is not");
            if (before == index)
                return refusedOperator(m_graph, here, "waits for itself");
            if (before > index)
                return refusedOperator(
                    m_graph, here,
                    fmt::format("waits for {}, which is launched later: the wait never ends", nameOf(before)));
            if (m_streams.launches[before].stream == launch.stream)
                return refusedOperator(
                    m_graph, here,
                    fmt::format("waits for {} by an event, but comes after it on its own stream", nameOf(before)));
        }
        if (std::ranges::adjacent_find(launch.waits, std::greater_equal()) != launch.waits.end())
            return refusedOperator(m_graph, here, "has events that do not ascend, or one twice");
        return {};
    }

    [[nodiscard]] Result<void> checkReads() const
    {
        const std::vector<std::uint32_t> launchOf = launchOfOperators(m_graph, m_streams);
        const LaunchOrder order(m_streams);
        for (std::size_t i = 0; i < m_streams.launches.size(); ++i) {
            for (const OperatorId id : m_streams.launches[i].operators) {
                for (const OperatorId producer : m_graph.predecessors(id)) {
                    const std::uint32_t from = launchOf[producer.index()];
                    if (from == i)
                        return refusedOperator(
                            m_graph, id,
                            fmt::format("is merged with {}, whose output it reads", m_graph.op(producer).name));
                    if (from > i)
                        return runsBefore(m_graph, id, producer);
                    if (!order.isBefore(from, i))
                        return within("operator " + m_graph.op(id).name,
                                      Error{ErrorCode::InvalidInput,
                                            fmt::format("reads the output of {}, and nothing makes it wait for it",
                                                        m_graph.op(producer).name),
                                            fmt::format("Add an event from {} to {}", nameOf(from), nameOf(i)),
                                            {}});
                }
            }
        }
        return {};
    }

    const Graph &m_graph;
    const Streams &m_streams;
};

} // namespace

Result<void> verifyStreams(const Graph &graph, const Streams &streams)
{
    return StreamVerifier(graph, streams).verify();
}

Result<void> verifyStreams(const Graph &graph, const Blocks &blocks, const Streams &streams)
{
    TRY(verifyStreams(graph, streams));
    return StreamVerifier(graph, streams).checkBlocks(blocks);
}

} // namespace stagecraft
