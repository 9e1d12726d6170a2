#include "schedule/edit/stream_edit.h"

#include "schedule/edit/edit_words.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/verify_streams.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace stagecraft {
namespace {

class StreamEditor {
public:
    StreamEditor(const Graph &graph, const Blocks &blocks, const Streams &streams)
        : m_graph(graph), m_blocks(blocks), m_streams(streams), m_launchOf(launchOfOperators(graph, streams))
    {
    }

    Result<Streams> operator()(const MoveLaunches &edit) const
    {
        TRY_AS(const auto moved, launchesOf(edit.operators));
        if (edit.stream && *edit.stream > m_streams.count)
            return fail(ErrorCode::InvalidInput, fmt::format("there is no stream {}", *edit.stream + 1),
                        fmt::format("Streams go from 1 to {}; {} is a new one", m_streams.count, m_streams.count + 1));
        const std::size_t count = m_streams.launches.size();
        if (edit.before && *edit.before > count)
            return fail(ErrorCode::InvalidInput, fmt::format("there is no launch {}", *edit.before + 1),
                        fmt::format("Launches go from 1 to {}; {} is behind the last", count, count + 1));
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i <= count; ++i) {
            if (edit.before == i)
                order.insert(order.end(), moved.begin(), moved.end());
            if (i < count && !(edit.before && std::ranges::binary_search(moved, i)))
                order.push_back(i);
        }
        Streams made = m_streams;
        for (const std::size_t launch : moved)
            made.launches[launch].stream = edit.stream.value_or(made.launches[launch].stream);
        made.count = std::max(made.count, edit.stream.value_or(0) + 1);
        return inOrder(std::move(made), order);
    }

    Result<Streams> operator()(const SwapLaunches &edit) const
    {
        TRY_AS(const auto swapped, launchesOf({edit.one, edit.other}));
        if (swapped.size() < 2)
            return refusedOperator(m_graph, edit.one, "cannot change places with itself");
        std::vector<std::size_t> order(m_streams.launches.size());
        std::iota(order.begin(), order.end(), 0);
        std::swap(order[swapped[0]], order[swapped[1]]);
        Streams made = m_streams;
        std::swap(made.launches[swapped[0]].stream, made.launches[swapped[1]].stream);
        return inOrder(std::move(made), order);
    }

    Result<Streams> operator()(const AddEvent &edit) const
    {
        TRY(launchesOf({edit.from, edit.to}));
        Streams made = m_streams;
        std::vector<std::uint32_t> &waits = made.launches[m_launchOf[edit.to.index()]].waits;
        const std::uint32_t from = m_launchOf[edit.from.index()];
        const auto place = std::ranges::lower_bound(waits, from);
        if (place != waits.end() && *place == from)
            return refusedOperator(m_graph, edit.to, fmt::format("waits for {} already", m_graph.op(edit.from).name));
        waits.insert(place, from);
        return verified(std::move(made));
    }

    Result<Streams> operator()(const DropEvent &edit) const
    {
        TRY(launchesOf({edit.from, edit.to}));
        Streams made = m_streams;
        std::vector<std::uint32_t> &waits = made.launches[m_launchOf[edit.to.index()]].waits;
        if (std::erase(waits, m_launchOf[edit.from.index()]) == 0)
            return refusedOperator(m_graph, edit.to,
                                   fmt::format("does not wait for {} by an event", m_graph.op(edit.from).name));
        auto dropped = verified(std::move(made));
        if (!dropped) // the edge is the reason; what would add the event again is no remedy here
            dropped.error().remedy.clear();
        return dropped;
    }

    Result<Streams> operator()(const auto & /*ofStages*/) const { return m_streams; }

private:
    // Ascending, each once.
    [[nodiscard]] Result<std::vector<std::size_t>> launchesOf(const std::vector<OperatorId> &operators) const
    {
        std::vector<std::size_t> launches;
        for (const OperatorId id : operators) {
            if (!id.isValid() || id.index() >= m_graph.size())
                return fail(ErrorCode::InvalidInput, "the model has no such operator");
            launches.push_back(m_launchOf[id.index()]);
        }
        if (launches.empty())
            return fail(ErrorCode::InvalidInput, "no operator is named");
        std::ranges::sort(launches);
        launches.erase(std::ranges::unique(launches).begin(), launches.end());
        return launches;
    }

    // The launches as `order` has them, on the streams that `made` says; events anew.
    [[nodiscard]] Result<Streams> inOrder(Streams made, const std::vector<std::size_t> &order) const
    {
        std::vector<std::uint32_t> placeOf(order.size());
        Streams ordered{made.count, {}};
        for (const std::size_t launch : order) {
            placeOf[launch] = static_cast<std::uint32_t>(ordered.launches.size());
            ordered.launches.push_back({made.launches[launch].operators, made.launches[launch].stream});
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            for (const OperatorId producer : m_graph.predecessors(OperatorId::fromIndex(i))) {
                if (placeOf[m_launchOf[producer.index()]] > placeOf[m_launchOf[i]])
                    return runsBefore(m_graph, OperatorId::fromIndex(i), producer);
            }
        }
        dropEmptyStreams(ordered);
        ordered = withNeededEvents(m_graph, std::move(ordered));
        const Streams needed = withNeededEvents(m_graph, m_streams);
        for (std::size_t i = 0; i < m_streams.launches.size(); ++i) {
            for (const std::uint32_t from : m_streams.launches[i].waits) {
                if (!std::ranges::binary_search(needed.launches[i].waits, from))
                    keepEvent(ordered, placeOf[from], placeOf[i]);
            }
        }
        return verified(std::move(ordered));
    }

    static void keepEvent(Streams &streams, std::uint32_t from, std::uint32_t to)
    {
        std::vector<std::uint32_t> &waits = streams.launches[to].waits;
        const auto place = std::ranges::lower_bound(waits, from);
        if (from < to && streams.launches[from].stream != streams.launches[to].stream &&
            (place == waits.end() || *place != from))
            waits.insert(place, from);
    }

    static void dropEmptyStreams(Streams &streams)
    {
        std::vector<std::uint32_t> numberOf(streams.count, 0);
        for (const StreamLaunch &launch : streams.launches)
            numberOf[launch.stream] = 1;
        std::uint32_t used = 0;
        for (std::uint32_t &number : numberOf)
            number = number == 1 ? used++ : used;
        for (StreamLaunch &launch : streams.launches)
            launch.stream = numberOf[launch.stream];
        streams.count = used;
    }

    [[nodiscard]] Result<Streams> verified(Streams made) const
    {
        TRY(verifyStreams(m_graph, m_blocks, made));
        return made;
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    const Streams &m_streams;
    std::vector<std::uint32_t> m_launchOf; // by operator
};

class StreamEditWords {
public:
    StreamEditWords(const Graph &graph, const Streams &before) : m_graph(graph), m_before(before) {}

    std::string operator()(const MoveLaunches &edit) const
    {
        std::string text = "Move " + operatorNames(m_graph, edit.operators);
        if (edit.stream)
            text += *edit.stream < m_before.count ? fmt::format(" to stream {}", *edit.stream + 1) : " to a new stream";
        if (edit.before)
            text += *edit.before < m_before.launches.size()
                        ? " before " + operatorNames(m_graph, m_before.launches[*edit.before].operators)
                        : " behind the last launch";
        return text;
    }
    std::string operator()(const SwapLaunches &edit) const
    {
        return "Swap " + operatorNames(m_graph, {edit.one, edit.other});
    }
    std::string operator()(const AddEvent &edit) const { return "Add an event" + between(edit.from, edit.to); }
    std::string operator()(const DropEvent &edit) const { return "Drop the event" + between(edit.from, edit.to); }
    std::string operator()(const auto & /*ofStages*/) const { return {}; }

private:
    [[nodiscard]] std::string between(OperatorId from, OperatorId to) const
    {
        return fmt::format(" from {} to {}", operatorNames(m_graph, {from}), operatorNames(m_graph, {to}));
    }

    const Graph &m_graph;
    const Streams &m_before;
};

} // namespace

Result<Streams> editedStreams(const Graph &graph, const Blocks &blocks, const Streams &streams, const Edit &edit)
{
    return std::visit(StreamEditor(graph, blocks, streams), edit);
}

std::string streamEditWords(const Graph &graph, const Streams &before, const Edit &edit)
{
    return std::visit(StreamEditWords(graph, before), edit);
}

} // namespace stagecraft
