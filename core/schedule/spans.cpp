#include "schedule/spans.h"

#include "schedule/verify_words.h"

#include <algorithm>

namespace stagecraft {

namespace {

// Counts what one schedule has finished and the other has not, while both are followed.
class Balance {
public:
    void finish(const Stage &stage, int side)
    {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (id.index() >= m_finished.size())
                    m_finished.resize(id.index() + 1);
                int &by = m_finished[id.index()];
                m_unequal -= by != 0 ? 1 : 0;
                by += side;
                m_unequal += by != 0 ? 1 : 0;
            }
        }
    }
    [[nodiscard]] bool isEven() const { return m_unequal == 0; }

private:
    std::vector<int> m_finished;
    std::size_t m_unequal = 0;
};

ReplaceStages replacement(std::span<const Stage> origin, const CommonSpan &span, std::string words)
{
    const auto from = origin.begin() + static_cast<std::ptrdiff_t>(span.firstB);
    return {span.firstA, span.countA, {from, from + static_cast<std::ptrdiff_t>(span.countB)}, std::move(words)};
}

} // namespace

std::vector<CommonSpan> commonSpans(std::span<const Stage> a, std::span<const Stage> b)
{
    std::vector<CommonSpan> spans;
    Balance balance;
    CommonSpan open;
    std::size_t doneA = 0;
    std::size_t doneB = 0;
    while (open.firstA + open.countA < a.size() || doneB < doneA) {
        // Whoever has finished less goes on, so neither passes a point that the other has yet to come to.
        const bool isATurn = doneA <= doneB;
        const Stage &next = isATurn ? a[open.firstA + open.countA++] : b[open.firstB + open.countB++];
        (isATurn ? doneA : doneB) += next.operatorCount();
        balance.finish(next, isATurn ? 1 : -1);
        if (!balance.isEven())
            continue;
        spans.push_back(open);
        open = {open.firstA + open.countA, 0, open.firstB + open.countB, 0};
    }
    return spans;
}

ReplaceStages resetStage(std::span<const Stage> stages, std::span<const Stage> origin, std::size_t stage)
{
    const auto spans = commonSpans(stages, origin);
    const auto around =
        std::ranges::find_if(spans, [&](const CommonSpan &span) { return stage < span.firstA + span.countA; });
    return replacement(origin, around == spans.end() ? CommonSpan{stages.size(), 0, origin.size(), 0} : *around,
                       "Reset " + stageName(stage));
}

ReplaceStages resetBlock(std::span<const Stage> stages, std::span<const Stage> origin, std::size_t block)
{
    const auto range = [&](std::span<const Stage> all) {
        const auto found = std::ranges::equal_range(all, block, {}, &Stage::block);
        return std::pair(static_cast<std::size_t>(found.begin() - all.begin()), found.size());
    };
    const auto [firstA, countA] = range(stages);
    const auto [firstB, countB] = range(origin);
    return replacement(origin, {firstA, countA, firstB, countB}, "Reset block " + std::to_string(block + 1));
}

ReplaceStages resetAll(std::span<const Stage> stages, std::span<const Stage> origin)
{
    return replacement(origin, {0, stages.size(), 0, origin.size()}, "Reset all stages");
}

} // namespace stagecraft
