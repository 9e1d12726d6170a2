#include "widgets/schedule/compared_schedules.h"

#include "schedule/compare/latency_parts.h"

#include <algorithm>
#include <map>

namespace stagecraft {

ComparedSchedules::ComparedSchedules(std::shared_ptr<const Graph> graph,
                                     std::vector<std::shared_ptr<const TimedSchedule>> schedules,
                                     const std::vector<std::shared_ptr<const TimelineIndex>> &timelines,
                                     const Blocks &blocks)
    : m_graph(std::move(graph)), m_schedules(std::move(schedules))
{
    std::vector<const TimedSchedule *> all;
    for (const auto &schedule : m_schedules)
        all.push_back(schedule.get());
    std::vector<const TimelineIndex *> known;
    for (const auto &timeline : timelines)
        known.push_back(timeline.get());
    m_difference = scheduleDifference(all, known, blocks);
    for (const BlockDifference &block : m_difference.blocks) {
        for (const SpanDifference &part : block.spans) {
            m_spans.push_back(part.span);
            m_spansUs.push_back(part.us);
        }
    }
    m_timeParts.resize(m_schedules.size());
    for (std::size_t side = 0; side < std::min(m_schedules.size(), timelines.size()); ++side) {
        if (timelines[side])
            m_timeParts[side] = scheduleTimeParts(*m_schedules[side], *timelines[side]);
    }
}

std::vector<StageList> ComparedSchedules::stages() const
{
    std::vector<StageList> lists;
    for (const auto &schedule : m_schedules)
        lists.emplace_back(schedule->stages);
    return lists;
}

StageRange ComparedSchedules::all(std::size_t side) const
{
    return {0, m_spans.empty() ? 0 : m_spans.back().sides[side].end()};
}

std::optional<std::size_t> ComparedSchedules::spanOf(std::size_t side, std::size_t stage) const
{
    const auto found =
        std::ranges::partition_point(m_spans, [&](const CommonSpan &span) { return span.sides[side].end() <= stage; });
    if (found == m_spans.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - m_spans.begin());
}

bool ComparedSchedules::hasStreams() const
{
    return std::ranges::any_of(m_schedules, [](const auto &schedule) { return schedule->streams.has_value(); });
}

std::optional<double> ComparedSchedules::spanUs(std::size_t span, std::size_t side) const
{
    const TimedSchedule &schedule = *m_schedules[side];
    const std::optional<double> us = m_spansUs[span][side];
    const auto barrier = barrierUs(schedule);
    if (!us || !hasStreams() || !barrier)
        return us;
    StageRange withNext = m_spans[span].sides[side];
    withNext.count += withNext.end() < schedule.stages.size() ? 1 : 0;
    return *us + *barrier * static_cast<double>(barriersIn(schedule.stages, withNext));
}

bool ComparedSchedules::isEqual(std::size_t span, std::size_t sideA, std::size_t sideB) const
{
    if (hasStreams())
        return m_spans[span].isEqual;
    const auto stagesOf = [&](std::size_t side) {
        const StageRange &range = m_spans[span].sides[side];
        return StageList(m_schedules[side]->stages).subspan(range.first, range.count);
    };
    return m_spans[span].isEqual || std::ranges::equal(stagesOf(sideA), stagesOf(sideB));
}

std::vector<StagePair> ComparedSchedules::pairs(std::size_t span, std::size_t sideA, std::size_t sideB) const
{
    return pairStages(*m_graph, m_schedules[sideA]->stages, m_spans[span].sides[sideA], m_schedules[sideB]->stages,
                      m_spans[span].sides[sideB]);
}

std::optional<std::size_t> ComparedSchedules::counterpart(std::size_t side, std::size_t stage, std::size_t other) const
{
    const auto span = spanOf(side, stage);
    if (!span)
        return std::nullopt;
    if (isEqual(*span, side, other))
        return m_spans[*span].sides[other].first + (stage - m_spans[*span].sides[side].first);
    for (const StagePair &pair : pairs(*span, side, other)) {
        if (pair.a == stage)
            return pair.b;
    }
    return std::nullopt;
}

std::vector<StageLink> ComparedSchedules::links(std::size_t span, std::size_t sideA, std::size_t sideB) const
{
    std::map<OperatorId, std::size_t> stageInB;
    const StageRange &rangeB = m_spans[span].sides[sideB];
    for (std::size_t stage = rangeB.first; stage < rangeB.end(); ++stage) {
        for (const auto &group : m_schedules[sideB]->stages[stage].groups) {
            for (const OperatorId op : group)
                stageInB[op] = stage;
        }
    }
    std::vector<StageLink> links;
    const StageRange &rangeA = m_spans[span].sides[sideA];
    for (std::size_t stage = rangeA.first; stage < rangeA.end(); ++stage) {
        std::map<std::size_t, std::size_t> shared;
        for (const auto &group : m_schedules[sideA]->stages[stage].groups) {
            for (const OperatorId op : group)
                ++shared[stageInB[op]];
        }
        for (const auto &[other, operators] : shared)
            links.push_back({stage, other, operators});
    }
    return links;
}

StageRange ComparedSchedules::rangeOfBlock(std::size_t side, std::size_t block) const
{
    const auto found = std::ranges::find(m_difference.blocks, block, &BlockDifference::block);
    return found == m_difference.blocks.end() ? StageRange{} : found->sides[side];
}

std::optional<std::size_t> ComparedSchedules::nextDifference(std::optional<std::size_t> from, int direction) const
{
    const auto count = static_cast<std::ptrdiff_t>(m_spans.size());
    const std::ptrdiff_t step = direction < 0 ? -1 : 1;
    const std::ptrdiff_t start = from ? static_cast<std::ptrdiff_t>(*from) + step : step > 0 ? 0 : count - 1;
    for (std::ptrdiff_t i = start; i >= 0 && i < count; i += step) {
        if (!m_spans[static_cast<std::size_t>(i)].isEqual)
            return static_cast<std::size_t>(i);
    }
    return std::nullopt;
}

std::size_t ComparedSchedules::differences() const
{
    return static_cast<std::size_t>(std::ranges::count(m_spans, false, &CommonSpan::isEqual));
}

} // namespace stagecraft
