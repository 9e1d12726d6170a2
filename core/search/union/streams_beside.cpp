#include "search/union/streams_beside.h"

#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// Whether the first model launches next, of which as many launches came before.
bool isFirstNext(const std::array<std::size_t, 2> &launched, const std::array<StreamsOfPart, 2> &own, LaunchTurns turns)
{
    const auto size = [&](std::size_t model) { return own[model].streams.launches.size(); };
    if (launched[0] == size(0) || launched[1] == size(1))
        return launched[0] < size(0);
    const auto turnUs = [&](std::size_t model) {
        return own[model].aloneUs * (static_cast<double>(launched[model]) + 0.5) / static_cast<double>(size(model));
    };
    switch (turns) {
    case LaunchTurns::Alternating: return launched[0] <= launched[1];
    case LaunchTurns::AsAlone: return turnUs(0) <= turnUs(1);
    case LaunchTurns::FirstBefore: return true;
    case LaunchTurns::SecondBefore: break;
    }
    return false;
}

StreamLaunch launchIn(const UnionPart &part, StreamLaunch launch)
{
    for (OperatorId &id : launch.operators)
        id = part.idOf(id);
    return launch;
}

} // namespace

Streams streamsBeside(const Graph &graph, std::span<const UnionPart> parts, const std::array<StreamsOfPart, 2> &own,
                      LaunchTurns turns)
{
    std::vector<StreamLaunch> launches;
    std::array<std::size_t, 2> launched{};
    while (launches.size() < own[0].streams.launches.size() + own[1].streams.launches.size()) {
        const std::size_t model = isFirstNext(launched, own, turns) ? 0 : 1;
        StreamLaunch launch = launchIn(parts[model], own[model].streams.launches[launched[model]++]);
        launch.stream += model == 0 ? 0 : own[0].streams.count;
        launches.push_back(std::move(launch));
    }
    return allocated(graph, std::move(launches));
}

Streams streamsInSuccession(std::span<const UnionPart> parts, const std::array<StreamsOfPart, 2> &own,
                            std::size_t first)
{
    const Streams &before = own[first].streams;
    const Streams &after = own[1 - first].streams;
    Streams both{std::max(before.count, after.count), {}};
    std::map<std::uint32_t, std::uint32_t> lastOf; // by stream
    for (const StreamLaunch &launch : before.launches) {
        lastOf[launch.stream] = static_cast<std::uint32_t>(both.launches.size());
        both.launches.push_back(launchIn(parts[first], launch));
    }
    const auto begun = static_cast<std::uint32_t>(both.launches.size());
    std::set<std::uint32_t> isOpen; // streams on which the second model has a launch
    for (StreamLaunch launch : after.launches) {
        for (std::uint32_t &wait : launch.waits)
            wait += begun;
        if (isOpen.insert(launch.stream).second) {
            for (const auto &[stream, last] : lastOf) {
                if (stream != launch.stream)
                    launch.waits.push_back(last);
            }
            std::ranges::sort(launch.waits);
        }
        both.launches.push_back(launchIn(parts[1 - first], std::move(launch)));
    }
    return both;
}

} // namespace stagecraft
