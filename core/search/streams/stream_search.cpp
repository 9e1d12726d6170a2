#include "search/streams/stream_search.h"

#include "schedule/merge.h"
#include "search/interrupt.h"
#include "search/streams/allocated.h"
#include "search/streams/exact_streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kMostStreams = 32;
// Of each round, what is mostly gone through in the beginning, as a share of the latency. The first rounds begin with
// the fastest starts, the others with the best so far.
constexpr std::array kFirstSlowdowns{1e-3, 4e-3, 1.5e-2, 1e-3, 4e-3, 5e-4};
constexpr std::size_t kRoundsFromStarts = 3;
constexpr double kLastSlowdown = 5e-5; // in the end
constexpr std::int64_t kProgressEvery = 32;

class StepSearch {
public:
    StepSearch(const Graph &graph, const Blocks &blocks, const StreamSearchOptions &options)
        : m_graph(graph), m_options(options), m_isPinned(graph.size(), false), m_launchOf(graph.size())
    {
        if (options.mayMerge)
            findMergeable(blocks);
        for (const auto &launch : options.pinned) {
            for (const OperatorId id : launch)
                m_isPinned[id.index()] = true;
        }
    }

    Result<StreamSearchResult> search(std::vector<TimedStreams> starts, const StreamLatency &latency,
                                      const std::stop_token &stop)
    {
        std::ranges::stable_sort(starts, {}, &TimedStreams::latencyUs);
        m_result = {starts.front().streams, starts.front().latencyUs, 0, StreamSearchEnd::Converged};
        m_pinned = pinnedOf(m_result.best);
        const Interrupt interrupt(stop, m_options.maxSeconds);
        for (std::size_t round = 0; round < kFirstSlowdowns.size(); ++round) {
            const bool isFromStart = round < std::min(kRoundsFromStarts, starts.size());
            const TimedStreams best{m_result.best, m_result.latencyUs};
            TRY(searchFrom(isFromStart ? starts[round] : best, kFirstSlowdowns[round], latency, interrupt));
            if (m_result.end != StreamSearchEnd::Converged)
                break;
        }
        return std::move(m_result);
    }

private:
    // Until nothing is found for a while.
    Result<void> searchFrom(TimedStreams current, double firstSlowdown, const StreamLatency &latency,
                            const Interrupt &interrupt)
    {
        const auto size = static_cast<std::int64_t>(m_graph.size());
        const std::int64_t steps = std::max<std::int64_t>(kLeastSteps, kStepsPerOperator * size);
        const std::int64_t patience = steps / 3;
        double bestUs = current.latencyUs;
        std::int64_t lastBetter = 0;
        for (std::int64_t step = 0; step < steps && step - lastBetter < patience; ++step) {
            if (interrupt.raised()) {
                m_result.end = interrupt.stopRequested() ? StreamSearchEnd::Stopped : StreamSearchEnd::Time;
                return {};
            }
            auto launches = stepFrom(current.streams.launches);
            if (launches.empty())
                continue;
            TimedStreams next{allocated(m_graph, std::move(launches)), kInfinite};
            if (next.streams == current.streams || pinnedOf(next.streams) != m_pinned)
                continue;
            const auto us = latency(next.streams);
            ++m_result.timed;
            if (!us && us.error().code == ErrorCode::Cancelled)
                continue; // the stop is seen above
            if (!us && us.error().code != ErrorCode::DeviceFailed)
                return tl::unexpected(us.error());
            if (us)
                next.latencyUs = *us;
            const double share = static_cast<double>(step) / static_cast<double>(steps);
            const double slowdown = firstSlowdown * std::pow(kLastSlowdown / firstSlowdown, share);
            const double chance = std::exp(-(next.latencyUs / current.latencyUs - 1) / slowdown);
            if (next.latencyUs <= current.latencyUs || unit() < chance)
                current = std::move(next);
            if (current.latencyUs < bestUs) {
                bestUs = current.latencyUs;
                lastBetter = step;
            }
            if (current.latencyUs < m_result.latencyUs && m_options.isAllowed(current.streams)) {
                m_result.best = current.streams;
                m_result.latencyUs = current.latencyUs;
            }
            if (m_options.onProgress && m_result.timed % kProgressEvery == 0)
                m_options.onProgress(m_result.timed, m_result.latencyUs);
        }
        return {};
    }

    static constexpr std::int64_t kLeastSteps = 6000;
    static constexpr std::int64_t kStepsPerOperator = 40;

    using Launches = std::vector<StreamLaunch>;

    void findMergeable(const Blocks &blocks)
    {
        for (const Block &block : blocks) {
            for (std::size_t i = 0; i < block.operators.size(); ++i) {
                for (std::size_t j = i + 1; j < block.operators.size(); ++j) {
                    const std::array pair{block.operators[i], block.operators[j]};
                    if (readTheSame(m_graph, pair) && mergedOperator(m_graph, pair))
                        m_mergeable.push_back(pair);
                }
            }
        }
    }

    // In launch order, on streams that are numbered by the pinned launches alone.
    [[nodiscard]] Launches pinnedOf(const Streams &streams) const
    {
        Launches pinned;
        std::vector<std::uint32_t> numbers(m_options.pinned.empty() ? 0 : streams.count, 0); // from 1
        std::uint32_t used = 0;
        for (std::size_t i = 0; i < streams.launches.size() && !m_options.pinned.empty(); ++i) {
            const StreamLaunch &launch = streams.launches[i];
            if (std::ranges::none_of(launch.operators, [&](OperatorId id) { return m_isPinned[id.index()]; }))
                continue;
            std::uint32_t &number = numbers[launch.stream];
            if (number == 0)
                number = ++used;
            pinned.push_back({launch.operators, number});
        }
        return pinned;
    }

    // Not std::uniform_int_distribution, whose numbers differ between libraries.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }
    double unit() { return static_cast<double>(m_random() >> 11) / 9007199254740992.0; } // 2^53

    // Empty: this step is not possible.
    Launches stepFrom(Launches launches)
    {
        for (std::size_t i = 0; i < launches.size(); ++i) {
            for (const OperatorId id : launches[i].operators)
                m_launchOf[id.index()] = i;
        }
        std::uint32_t streams = 0;
        for (const StreamLaunch &launch : launches)
            streams = std::max(streams, launch.stream + 1);
        const std::size_t which = below(launches.size());
        switch (below(m_mergeable.empty() ? 8 : 10)) {
        case 0:
        case 1:
        case 2: launches[which].stream = otherStream(streams); return launches;
        case 3:
        case 4: return moved(std::move(launches), which);
        case 5:
        case 6: launches[which].stream = otherStream(streams); return moved(std::move(launches), which);
        case 7: return exchanged(std::move(launches), which, streams);
        case 8: return merged(std::move(launches));
        default: return parted(std::move(launches), which);
        }
    }

    std::uint32_t otherStream(std::uint32_t streams)
    {
        const std::uint32_t count = streams < kMostStreams ? streams + 1 : streams;
        return static_cast<std::uint32_t>(below(count));
    }

    // The places between what a launch reads from and what reads from it.
    [[nodiscard]] std::pair<std::size_t, std::size_t> range(const StreamLaunch &launch, std::size_t size) const
    {
        std::size_t first = 0;
        std::size_t last = size - 1;
        for (const OperatorId id : launch.operators) {
            for (const OperatorId before : m_graph.predecessors(id))
                first = std::max(first, m_launchOf[before.index()] + 1);
            for (const OperatorId after : m_graph.successors(id))
                last = std::min(last, m_launchOf[after.index()] - 1);
        }
        return {first, last};
    }

    Launches moved(Launches launches, std::size_t which)
    {
        const auto [first, last] = range(launches[which], launches.size());
        const std::size_t to = first + below(last - first + 1);
        const auto at = [&](std::size_t index) { return launches.begin() + static_cast<std::ptrdiff_t>(index); };
        if (to < which)
            std::rotate(at(to), at(which), at(which + 1));
        else
            std::rotate(at(which), at(which + 1), at(to + 1));
        return launches;
    }

    Launches exchanged(Launches launches, std::size_t from, std::uint32_t streams)
    {
        const std::uint32_t one = launches[from].stream;
        const auto other = static_cast<std::uint32_t>(below(streams));
        if (one == other)
            return {};
        for (std::size_t i = from; i < launches.size(); ++i) {
            if (launches[i].stream == one)
                launches[i].stream = other;
            else if (launches[i].stream == other)
                launches[i].stream = one;
        }
        return launches;
    }

    Launches merged(Launches launches)
    {
        const auto &pair = m_mergeable[below(m_mergeable.size())];
        auto [earlier, later] = std::minmax(m_launchOf[pair[0].index()], m_launchOf[pair[1].index()]);
        if (earlier == later)
            return {};
        const bool goesDown = range(launches[earlier], launches.size()).second >= later;
        if (!goesDown && range(launches[later], launches.size()).first > earlier)
            return {};
        StreamLaunch both = launches[earlier];
        both.operators.insert(both.operators.end(), launches[later].operators.begin(), launches[later].operators.end());
        std::ranges::sort(both.operators);
        if (!mergedOperator(m_graph, both.operators))
            return {};
        launches[goesDown ? later : earlier] = std::move(both);
        launches.erase(launches.begin() + static_cast<std::ptrdiff_t>(goesDown ? earlier : later));
        return launches;
    }

    Launches parted(Launches launches, std::size_t from)
    {
        const auto isMerged = [](const StreamLaunch &launch) { return launch.isMerged(); };
        auto found = std::find_if(launches.begin() + static_cast<std::ptrdiff_t>(from), launches.end(), isMerged);
        if (found == launches.end())
            found = std::ranges::find_if(launches, isMerged);
        if (found == launches.end())
            return {};
        const std::size_t which = below(found->operators.size());
        StreamLaunch alone{{found->operators[which]}, found->stream};
        if (below(2) == 0)
            alone.stream = kMostStreams; // a new one
        found->operators.erase(found->operators.begin() + static_cast<std::ptrdiff_t>(which));
        launches.insert(found + 1, std::move(alone));
        return launches;
    }

    const Graph &m_graph;
    const StreamSearchOptions &m_options;
    std::vector<std::array<OperatorId, 2>> m_mergeable;
    std::vector<bool> m_isPinned; // by operator
    Launches m_pinned;
    std::vector<std::size_t> m_launchOf; // by operator, of the launches that a step begins with
    std::mt19937_64 m_random{1};
    StreamSearchResult m_result;
};

} // namespace

std::string_view toString(StreamSearchEnd end)
{
    switch (end) {
    case StreamSearchEnd::Proved: return "proved";
    case StreamSearchEnd::Converged: return "converged";
    case StreamSearchEnd::Time: return "time";
    case StreamSearchEnd::Stopped: return "stopped";
    }
    return "";
}

Result<StreamSearchResult> searchStreams(const Graph &graph, const Blocks &blocks, std::span<const TimedStreams> starts,
                                         const StreamLatency &latency, const StreamSearchOptions &options,
                                         const std::stop_token &stop)
{
    if (!hasFewStreams(graph, options.exactUpTo) || !options.pinned.empty())
        return StepSearch(graph, blocks, options).search({starts.begin(), starts.end()}, latency, stop);
    constexpr double kShareOfExact = 0.7; // of the time; steps have the rest
    StreamSearchOptions part = options;
    part.maxSeconds *= kShareOfExact;
    TRY_AS(auto exact, searchAllStreams(graph, blocks, *std::ranges::min_element(starts, {}, &TimedStreams::latencyUs),
                                        latency, part, stop));
    if (exact.end != StreamSearchEnd::Time)
        return exact;
    part.maxSeconds = options.maxSeconds - part.maxSeconds;
    std::vector<TimedStreams> from(starts.begin(), starts.end());
    from.push_back({exact.best, exact.latencyUs});
    TRY_AS(auto steps, StepSearch(graph, blocks, part).search(std::move(from), latency, stop));
    steps.timed += exact.timed;
    return steps;
}

} // namespace stagecraft
