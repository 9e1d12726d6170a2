#include "schedule/compare/difference.h"

#include "schedule/compare/latency_parts.h"

#include <algorithm>

namespace stagecraft {
namespace {

LatenciesUs sums(std::span<const TimedSchedule *const> schedules, const std::vector<StageRange> &sides)
{
    LatenciesUs us;
    for (std::size_t i = 0; i < schedules.size(); ++i)
        us.push_back(sumOfStagesUs(*schedules[i], sides[i]));
    return us;
}

// Adds one schedule.
void addBarriers(BarrierDifference &difference, const std::optional<LatencyParts> &parts, bool isCostKnown)
{
    difference.barriers.push_back(parts ? parts->barriers : 0);
    const bool isKnown = parts && (isCostKnown || parts->barriers == 0);
    difference.us.push_back(isKnown ? std::optional(parts->barriersUs) : std::nullopt);
}

// Whether what the schedule's barriers take is known; yes if it has none.
bool areBarriersKnown(const TimedSchedule &schedule)
{
    return barrierUs(schedule) || barriersIn(schedule.stages, {0, schedule.stages.size()}) == 0;
}

// Adds one schedule, whose blocks have been compared.
void addBarriers(ScheduleDifference &result, const TimedSchedule &schedule)
{
    const bool isKnown = areBarriersKnown(schedule);
    std::optional<LatencyParts> between = latencyParts(schedule);
    const std::vector<LatencyParts> parts = blockParts(schedule);
    for (std::size_t b = 0; b < result.blocks.size(); ++b) {
        const auto inside = b < parts.size() ? std::optional(parts[b]) : std::nullopt;
        addBarriers(result.blocks[b].inside, inside, isKnown);
        if (between && inside) {
            between->barriers -= inside->barriers;
            between->barriersUs -= inside->barriersUs;
        }
    }
    addBarriers(result.betweenBlocks, between, isKnown);
    result.restUs.push_back(restUs(schedule));
}

} // namespace

bool BlockDifference::isEqual() const
{
    return std::ranges::all_of(spans, [](const SpanDifference &part) { return part.span.isEqual; });
}

bool ScheduleDifference::areBarriersKnown() const
{
    const auto isKnown = [](const std::optional<double> &us) { return us.has_value(); };
    return std::ranges::all_of(restUs, isKnown) && std::ranges::all_of(betweenBlocks.us, isKnown) &&
           std::ranges::all_of(
               blocks, [&](const BlockDifference &block) { return std::ranges::all_of(block.inside.us, isKnown); });
}

ScheduleDifference scheduleDifference(std::span<const TimedSchedule *const> schedules)
{
    ScheduleDifference result;
    std::vector<StageList> stages;
    for (const TimedSchedule *schedule : schedules) {
        stages.emplace_back(schedule->stages);
        result.wholeUs.push_back(schedule->latencyUs());
        const auto sum = sumOfStagesUs(*schedule, {0, schedule->stages.size()});
        result.betweenStagesUs.push_back(
            sum && schedule->measured.whole ? std::optional(schedule->measured.whole->latencyUs - *sum) : std::nullopt);
    }
    const bool hasStreams =
        std::ranges::any_of(schedules, [](const TimedSchedule *schedule) { return schedule->streams.has_value(); });
    for (CommonSpan &span : hasStreams ? std::vector<CommonSpan>() : commonSpans(stages)) {
        if (result.blocks.empty() || result.blocks.back().block != span.block)
            result.blocks.push_back({span.block, span.sides, {}, {}, {}});
        BlockDifference &block = result.blocks.back();
        for (std::size_t i = 0; i < stages.size(); ++i)
            block.sides[i].count = span.sides[i].end() - block.sides[i].first;
        LatenciesUs us = sums(schedules, span.sides);
        block.spans.push_back({std::move(span), std::move(us)});
    }
    for (BlockDifference &block : result.blocks)
        block.us = sums(schedules, block.sides);
    for (const TimedSchedule *schedule : schedules)
        addBarriers(result, *schedule);
    return result;
}

std::optional<double> sumOfStagesUs(const TimedSchedule &schedule, StageRange range)
{
    if (!schedule.hasStageLatencies())
        return std::nullopt;
    double sum = 0;
    for (std::size_t i = range.first; i < range.end(); ++i)
        sum += schedule.measured.stages[i].latencyUs;
    return sum;
}

} // namespace stagecraft
