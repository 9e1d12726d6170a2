#include "search/streams/lane_estimate.h"

#include "schedule/streams/stream_parts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace stagecraft {
namespace {

// When the launches of a part have ended, each lane taking the first one in launch order that may run. One that may
// run alone has all cores.
double sideBySideUs(const std::vector<std::vector<std::uint32_t>> &waiters, const std::vector<double> &durationsUs,
                    const std::vector<double> &onAllCoresUs, std::size_t lanes)
{
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const std::size_t size = durationsUs.size();
    std::vector<std::size_t> waitsFor(size, 0);
    for (const auto &launches : waiters) {
        for (const std::uint32_t launch : launches)
            ++waitsFor[launch];
    }
    std::vector<double> endUs(size, kNever); // of launches that run
    std::vector<bool> isTaken(size, false);
    std::vector<std::size_t> running;
    double nowUs = 0;
    for (std::size_t ended = 0; ended < size; ++ended) {
        const bool isOnlyOne = running.empty();
        for (std::size_t i = 0; i < size && running.size() < lanes; ++i) {
            if (isTaken[i] || waitsFor[i] > 0)
                continue;
            isTaken[i] = true;
            endUs[i] = nowUs + durationsUs[i];
            running.push_back(i);
        }
        if (running.size() == 1 && isOnlyOne)
            endUs[running.front()] = nowUs + onAllCoresUs[running.front()];
        const auto next = std::ranges::min_element(running, {}, [&](std::size_t i) { return endUs[i]; });
        nowUs = endUs[*next];
        for (const std::uint32_t launch : waiters[*next])
            --waitsFor[launch];
        running.erase(next);
    }
    return nowUs;
}

} // namespace

void LaneEstimate::add(std::span<const OperatorId> operators, int cores, double us)
{
    auto &runs = m_runs[Key(operators.begin(), operators.end())][cores];
    runs.insert(std::ranges::upper_bound(runs, us), us);
}

void LaneEstimate::setGaps(double launchUs, double partUs)
{
    m_launchGapUs = launchUs;
    m_partGapUs = partUs;
}

Result<double> LaneEstimate::durationUs(const Key &operators, int cores) const
{
    const auto found = m_runs.find(operators);
    if (found == m_runs.end())
        return fail(ErrorCode::DeviceFailed, "it was never run");
    const auto nearest =
        std::ranges::min_element(found->second, {}, [&](const auto &runs) { return std::abs(runs.first - cores); });
    const auto &[known, runs] = *nearest;
    return runs[runs.size() / 2] * known / cores;
}

Result<double> LaneEstimate::latencyUs(const Streams &streams) const
{
    double us = 0;
    for (const StreamPart &part : partsOf(streams)) {
        const std::size_t lanes =
            part.isSideBySide ? std::min(part.streams, static_cast<std::size_t>(m_cores)) : std::size_t{1};
        const int cores = m_cores / static_cast<int>(lanes);
        std::vector<double> durationsUs;
        std::vector<double> onAllCoresUs;
        for (const std::size_t launch : part.launches) {
            TRY_AS(const double onLaneUs, durationUs(streams.launches[launch].operators, cores));
            TRY_AS(const double aloneUs, durationUs(streams.launches[launch].operators, m_cores));
            durationsUs.push_back(onLaneUs + m_launchGapUs);
            onAllCoresUs.push_back(aloneUs + m_launchGapUs);
        }
        us += m_partGapUs;
        if (part.isSideBySide) {
            us += sideBySideUs(waitersIn(part, streams), durationsUs, onAllCoresUs, lanes);
        } else {
            for (const double durationUs : durationsUs)
                us += durationUs;
        }
    }
    return us;
}

} // namespace stagecraft
