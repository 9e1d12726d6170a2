#include "schedule/compare/latency_parts.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kRoundingShare = 1e-9; // of a sum of many latencies

// Only barriers account for the difference between the whole and its stages.
bool chargesBarriersOnly(const TimedSchedule &schedule)
{
    return schedule.measured.provenance == Provenance::Simulated && schedule.layouts.empty() &&
           schedule.measured.whole && !schedule.measured.isSumOfStages() && schedule.hasStageLatencies();
}

StageRange allOf(const TimedSchedule &schedule)
{
    return {0, schedule.stages.size()};
}

LatencyParts partsOf(const TimedSchedule &schedule, StageRange range, double barrierUs)
{
    LatencyParts parts{range, 0, barriersIn(schedule.stages, range), 0};
    for (std::size_t i = range.first; i < range.end(); ++i)
        parts.stagesUs += schedule.measured.stages[i].latencyUs;
    parts.barriersUs = static_cast<double>(parts.barriers) * barrierUs;
    return parts;
}

} // namespace

bool needsBarrier(const Stage &earlier, const Stage &later)
{
    return earlier.concurrentGroups() > 1 || later.concurrentGroups() > 1;
}

std::size_t barriersIn(StageList stages, StageRange range)
{
    std::size_t barriers = 0;
    for (std::size_t i = range.first + 1; i < range.end(); ++i)
        barriers += needsBarrier(stages[i - 1], stages[i]) ? 1 : 0;
    return barriers;
}

std::size_t barriersAround(StageList stages, StageRange range)
{
    const std::size_t first = range.first > 0 ? range.first - 1 : 0;
    return barriersIn(stages, {first, std::min(stages.size(), range.end() + 1) - first});
}

std::optional<double> barrierUs(const TimedSchedule &schedule)
{
    const std::size_t barriers = barriersIn(schedule.stages, allOf(schedule));
    if (barriers == 0 || !chargesBarriersOnly(schedule))
        return std::nullopt;
    const double between = schedule.measured.whole->latencyUs - schedule.sumOfStagesUs();
    return between >= 0 ? std::optional(between / static_cast<double>(barriers)) : std::nullopt;
}

std::optional<LatencyParts> latencyParts(const TimedSchedule &schedule, StageRange range)
{
    if (!schedule.hasStageLatencies())
        return std::nullopt;
    return partsOf(schedule, range, barrierUs(schedule).value_or(0));
}

std::optional<LatencyParts> latencyParts(const TimedSchedule &schedule)
{
    return latencyParts(schedule, allOf(schedule));
}

std::vector<LatencyParts> blockParts(const TimedSchedule &schedule)
{
    std::vector<LatencyParts> blocks;
    if (!schedule.hasStageLatencies())
        return blocks;
    const double eachUs = barrierUs(schedule).value_or(0);
    for (std::size_t first = 0; first < schedule.stages.size(); first = blocks.back().stages.end()) {
        StageRange range{first, 1};
        while (range.end() < schedule.stages.size() &&
               schedule.stages[range.end()].block == schedule.stages[first].block)
            ++range.count;
        blocks.push_back(partsOf(schedule, range, eachUs));
    }
    return blocks;
}

StageRange stagesOfBlock(StageList stages, std::size_t block)
{
    const auto found = std::ranges::equal_range(stages, block, {}, &Stage::block);
    return {static_cast<std::size_t>(found.begin() - stages.begin()), found.size()};
}

std::optional<double> restUs(const TimedSchedule &schedule)
{
    const auto parts = latencyParts(schedule);
    if (!parts || !schedule.measured.whole || schedule.measured.isSumOfStages())
        return std::nullopt;
    const double wholeUs = schedule.measured.whole->latencyUs;
    const double rest = wholeUs - parts->latencyUs();
    return std::abs(rest) > kRoundingShare * wholeUs ? rest : 0;
}

} // namespace stagecraft
