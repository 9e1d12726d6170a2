#pragma once

// Legal stream schedules at random. Deterministic in the generator.

#include "graph/graph.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/streams.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace stagecraft::test {

// Every operator alone, in a random legal order, on at most `streams` streams, with the events that are needed.
inline Streams randomStreams(const Graph &graph, std::uint32_t streams, std::mt19937 &random)
{
    std::vector<std::size_t> missing(graph.size());
    std::vector<OperatorId> ready;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        missing[i] = graph.predecessors(OperatorId::fromIndex(i)).size();
        if (missing[i] == 0)
            ready.push_back(OperatorId::fromIndex(i));
    }
    std::map<std::uint32_t, std::uint32_t> numbers; // as they are first used
    std::vector<StreamLaunch> launches;
    while (!ready.empty()) {
        std::swap(ready[random() % ready.size()], ready.back());
        const OperatorId id = ready.back();
        ready.pop_back();
        const auto stream =
            numbers.try_emplace(static_cast<std::uint32_t>(random() % streams), numbers.size()).first->second;
        launches.push_back({{id}, stream});
        for (const OperatorId next : graph.successors(id)) {
            if (--missing[next.index()] == 0)
                ready.push_back(next);
        }
    }
    return withNeededEvents(graph, {static_cast<std::uint32_t>(numbers.size()), std::move(launches)});
}

} // namespace stagecraft::test
