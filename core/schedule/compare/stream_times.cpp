#include "schedule/compare/stream_times.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace stagecraft {
namespace {

// By launch: the end of its last kernel; 0: it has none.
std::vector<std::int64_t> endsNs(const Streams &streams, const Timeline &timeline)
{
    std::unordered_map<OperatorId, std::int64_t> ofOperators;
    for (const KernelSpan &kernel : timeline.kernels) {
        for (const OperatorId id : kernel.operators)
            ofOperators[id] = std::max(ofOperators[id], kernel.endNs);
    }
    std::vector<std::int64_t> ends;
    for (const StreamLaunch &launch : streams.launches) {
        const auto found = ofOperators.find(launch.operators.front());
        ends.push_back(found == ofOperators.end() ? 0 : found->second);
    }
    return ends;
}

} // namespace

double StreamTimes::eventUs(std::size_t first, std::size_t end) const
{
    const auto reachedUs = [&](std::size_t launches) {
        return std::accumulate(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(launches), 0.0);
    };
    const double beginUs = reachedUs(first);
    const double endUs = reachedUs(end);
    double waitedUs = 0;
    for (std::size_t i = first; i < std::min(end + 1, us.size()); ++i)
        waitedUs += std::max(0.0, std::min(readyUs[i], endUs) - std::max(freeUs[i], beginUs));
    return waitedUs;
}

std::optional<StreamTimes> streamTimes(const Streams &streams, const Timeline &timeline)
{
    if (timeline.kernels.empty())
        return std::nullopt;
    const std::vector<std::int64_t> ends = endsNs(streams, timeline);
    StreamTimes times;
    std::vector<std::int64_t> freeNs(streams.count, 0); // by stream
    std::int64_t reachedNs = 0;
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        const std::int64_t beforeNs = freeNs[launch.stream];
        std::int64_t readyNs = beforeNs;
        for (const std::uint32_t other : launch.waits)
            readyNs = std::max(readyNs, ends[other]);
        times.freeUs.push_back(static_cast<double>(beforeNs) / 1000);
        times.readyUs.push_back(static_cast<double>(readyNs) / 1000);
        times.us.push_back(static_cast<double>(std::max<std::int64_t>(0, ends[i] - reachedNs)) / 1000);
        reachedNs = std::max(reachedNs, ends[i]);
        freeNs[launch.stream] = std::max(beforeNs, ends[i]);
    }
    return times;
}

Timeline withLaunchesAsStages(const Streams &streams, Timeline timeline)
{
    std::int64_t reachedNs = 0;
    const std::vector<std::int64_t> ends = endsNs(streams, timeline);
    timeline.stages.clear();
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i] <= reachedNs)
            continue;
        timeline.stages.push_back({i, reachedNs, ends[i]});
        reachedNs = ends[i];
    }
    return timeline;
}

} // namespace stagecraft
