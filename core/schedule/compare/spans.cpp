#include "schedule/compare/spans.h"

#include "schedule/verify_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {
namespace {

// Follows another schedule: after finish(), whole stages of this one have run that include what the other has run.
class Walk {
public:
    Walk(StageList stages, std::size_t operators) : m_stages(stages), m_stageOf(operators)
    {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            for (const auto &group : stages[i].groups) {
                for (const OperatorId id : group)
                    m_stageOf[id.index()] = i;
            }
        }
    }

    void finish(const Stage &stage)
    {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                for (; m_end <= m_stageOf[id.index()]; ++m_end)
                    m_finished += m_stages[m_end].operatorCount();
            }
        }
    }

    [[nodiscard]] std::size_t finished() const { return m_finished; } // number of operators that have run
    [[nodiscard]] StageRange side() const { return {m_begin, m_end - m_begin}; }
    void cut() { m_begin = m_end; }

private:
    StageList m_stages;
    std::vector<std::size_t> m_stageOf; // by operator
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::size_t m_finished = 0;
};

bool areEqual(const std::vector<StageList> &schedules, const std::vector<StageRange> &sides)
{
    const auto stagesOf = [&](std::size_t i) { return schedules[i].subspan(sides[i].first, sides[i].count); };
    for (std::size_t i = 1; i < sides.size(); ++i) {
        if (!std::ranges::equal(stagesOf(0), stagesOf(i)))
            return false;
    }
    return true;
}

ReplaceStages replacement(StageRange range, StageList others, std::string words)
{
    return {range.first, range.count, {others.begin(), others.end()}, std::move(words)};
}

} // namespace

std::vector<CommonSpan> commonSpans(const std::vector<StageList> &schedules)
{
    const StageList leader = schedules.front();
    std::size_t operators = 0;
    for (const Stage &stage : leader)
        operators += stage.operatorCount();
    std::vector<Walk> walks;
    walks.reserve(schedules.size());
    for (const StageList &stages : schedules)
        walks.emplace_back(stages, operators);

    std::vector<CommonSpan> spans;
    for (const Stage &stage : leader) {
        for (Walk &walk : walks)
            walk.finish(stage);
        // Each has run at least what the first has; if none has run more operators, all have run the same.
        if (!std::ranges::all_of(walks, [&](const Walk &walk) { return walk.finished() == walks[0].finished(); }))
            continue;
        CommonSpan &span = spans.emplace_back();
        span.block = stage.block;
        for (Walk &walk : walks) {
            span.sides.push_back(walk.side());
            walk.cut();
        }
        span.isEqual = areEqual(schedules, span.sides);
    }
    return spans;
}

ReplaceStages resetStage(StageList stages, StageList origin, std::size_t stage)
{
    for (const CommonSpan &span : commonSpans({stages, origin})) {
        if (stage < span.sides[0].end())
            return replacement(span.sides[0], origin.subspan(span.sides[1].first, span.sides[1].count),
                               "Reset " + stageName(stage));
    }
    return replacement({stages.size(), 0}, {}, "Reset " + stageName(stage));
}

ReplaceStages resetBlock(StageList stages, StageList origin, std::size_t block)
{
    const auto range = [&](StageList all) {
        const auto first = std::ranges::lower_bound(all, block, {}, &Stage::block);
        const auto end = std::ranges::upper_bound(all, block, {}, &Stage::block);
        return StageRange{static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(end - first)};
    };
    const StageRange from = range(origin);
    return replacement(range(stages), origin.subspan(from.first, from.count), fmt::format("Reset block {}", block + 1));
}

ReplaceStages resetAll(StageList stages, StageList origin)
{
    return replacement({0, stages.size()}, origin, "Reset all stages");
}

ReplaceStages takeSpan(StageRange into, StageList other, StageRange from)
{
    return replacement(into, other.subspan(from.first, from.count),
                       from.count > 1 ? fmt::format("Take stages {} to {}", from.first + 1, from.end())
                                      : "Take " + stageName(from.first));
}

} // namespace stagecraft
