#include "schedule/difference.h"

#include <algorithm>

namespace stagecraft {
namespace {

LatenciesUs sums(std::span<const Schedule *const> schedules, const std::vector<StageRange> &sides)
{
    LatenciesUs us;
    for (std::size_t i = 0; i < schedules.size(); ++i)
        us.push_back(sumOfStagesUs(*schedules[i], sides[i]));
    return us;
}

} // namespace

bool BlockDifference::isEqual() const
{
    return std::ranges::all_of(spans, [](const SpanDifference &part) { return part.span.isEqual; });
}

ScheduleDifference scheduleDifference(std::span<const Schedule *const> schedules)
{
    ScheduleDifference result;
    std::vector<StageList> stages;
    for (const Schedule *schedule : schedules) {
        stages.emplace_back(schedule->stages);
        result.wholeUs.push_back(schedule->latencyUs());
        const auto sum = sumOfStagesUs(*schedule, {0, schedule->stages.size()});
        result.betweenStagesUs.push_back(sum && schedule->timing ? std::optional(schedule->timing->latencyUs - *sum)
                                                                 : std::nullopt);
    }
    for (CommonSpan &span : commonSpans(stages)) {
        if (result.blocks.empty() || result.blocks.back().block != span.block)
            result.blocks.push_back({span.block, span.sides, {}, {}});
        BlockDifference &block = result.blocks.back();
        for (std::size_t i = 0; i < stages.size(); ++i)
            block.sides[i].count = span.sides[i].end() - block.sides[i].first;
        LatenciesUs us = sums(schedules, span.sides);
        block.spans.push_back({std::move(span), std::move(us)});
    }
    for (BlockDifference &block : result.blocks)
        block.us = sums(schedules, block.sides);
    return result;
}

std::optional<double> sumOfStagesUs(const Schedule &schedule, StageRange range)
{
    if (!schedule.hasStageLatencies())
        return std::nullopt;
    double sum = 0;
    for (std::size_t i = range.first; i < range.end(); ++i)
        sum += schedule.stageTimings[i].latencyUs;
    return sum;
}

} // namespace stagecraft
