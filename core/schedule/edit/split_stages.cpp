#include "schedule/edit/split_stages.h"

#include "schedule/streams/require_stages.h"

#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

class StageSplitter {
public:
    StageSplitter(const Graph &before, std::span<const std::vector<std::vector<OperatorId>>> became)
        : m_before(before), m_became(became)
    {
    }

    Result<void> add(const Stage &stage)
    {
        m_joins.clear();
        m_isChanged = false;
        Stage now{stage.block, stage.strategy, {}};
        for (const auto &group : stage.groups)
            addGroup(group, now);
        if (m_isChanged && stage.isMerged())
            return within("operator " + m_before.op(stage.groups.front().front()).name,
                          Error{ErrorCode::InvalidInput,
                                "it is merged with others of its stage, one of which is split",
                                "Let the stage run concurrently first (--concurrent)",
                                {}});
        if (!m_isChanged) {
            for (const OperatorId id : stage.launchOrder)
                now.launchOrder.push_back(m_became[id.index()].front().front());
        }
        m_stages.push_back(normalized(std::move(now)));
        if (!m_joins.empty()) {
            Stage behind{stage.block, Strategy::Concurrent, {}};
            for (const OperatorId join : m_joins)
                behind.groups.push_back({join});
            m_stages.push_back(normalized(std::move(behind)));
        }
        return {};
    }

    std::vector<Stage> stages() && { return std::move(m_stages); }

private:
    void addGroup(const std::vector<OperatorId> &group, Stage &now)
    {
        const auto &first = m_became[group.front().index()];
        if (group.size() == 1 && first.size() > 1) {
            now.groups.insert(now.groups.end(), first.begin(), first.end() - 1);
            m_joins.push_back(first.back().front());
            m_isChanged = true;
            return;
        }
        std::vector<OperatorId> &all = now.groups.emplace_back();
        for (const OperatorId id : group) {
            const auto &chains = m_became[id.index()];
            for (const auto &chain : chains)
                all.insert(all.end(), chain.begin(), chain.end());
            m_isChanged = m_isChanged || chains.size() > 1;
        }
    }

    const Graph &m_before;
    std::span<const std::vector<std::vector<OperatorId>>> m_became;
    std::vector<Stage> m_stages;
    std::vector<OperatorId> m_joins; // of the stage that is added
    bool m_isChanged = false;
};

} // namespace

Result<Schedule> splitStages(const Graph &before, const Schedule &schedule,
                             std::span<const std::vector<std::vector<OperatorId>>> became)
{
    TRY(requireStages(schedule, "an operator that is split"));
    StageSplitter splitter(before, became);
    for (const Stage &stage : schedule.stages)
        TRY(splitter.add(stage));
    return Schedule{std::move(splitter).stages(), {}, {}};
}

} // namespace stagecraft
