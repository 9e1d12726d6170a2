#include "schedule/edit/edit_places.h"

#include "schedule/merge.h"
#include "schedule/own_blocks.h"
#include "schedule/stage_groups.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <optional>

namespace stagecraft {

namespace {

// The stages without the moving operators, and what limits where these can go.
class Places {
public:
    Places(const Graph &graph, const Blocks &blocks, std::span<const Stage> stages,
           std::span<const OperatorId> operators)
        : m_graph(graph), m_stages(stages), m_moved(operators.begin(), operators.end()),
          m_stageOf(stageOfOperators(graph, stages)), m_blockOf(graph.size()), m_isMoved(graph.size()),
          m_left(stages.size()), m_vanishBefore(stages.size() + 1)
    {
        std::ranges::sort(m_moved);
        m_moved.erase(std::unique(m_moved.begin(), m_moved.end()), m_moved.end());
        const auto own = ownBlocks(graph, blocks, stages);
        const Blocks &all = own ? *own : blocks;
        for (std::size_t b = 0; b < all.size(); ++b) {
            for (const OperatorId id : all[b].operators)
                m_blockOf[id.index()] = b;
        }
        for (const OperatorId id : m_moved)
            m_isMoved[id.index()] = true;
        leave();
        for (const OperatorId id : m_moved) {
            for (const OperatorId producer : m_graph.predecessors(id)) {
                if (!m_isMoved[producer.index()])
                    m_lastProducer = std::max(m_lastProducer, m_stageOf[producer.index()] + 1);
            }
            for (const OperatorId reader : m_graph.successors(id)) {
                if (!m_isMoved[reader.index()])
                    m_firstReader = std::min(m_firstReader, m_stageOf[reader.index()]);
            }
        }
    }

    [[nodiscard]] Result<void> check(const EditPlace &place) const
    {
        const Stage target = targetOf(place);
        const std::size_t at = place.stage - m_vanishBefore[place.stage];
        if (auto blocks = checkBlocks(place, target, at); !blocks)
            return blocks;
        if (m_firstReader < place.stage) {
            const std::size_t early = m_firstReader - m_vanishBefore[m_firstReader];
            return within(stageName(early), readsMoved(left(m_firstReader)));
        }
        const std::size_t lastStage =
            place.isNew ? place.stage : place.stage + 1; // one past the last stage whose outputs exist
        if (m_lastProducer <= lastStage && !target.isMerged())
            return {};
        if (auto read = checkReads(target, lastStage); !read)
            return within(stageName(at), read.error());
        if (target.isMerged()) {
            if (auto merged = mergedOperator(m_graph, operatorsOf(target)); !merged)
                return within(stageName(at), merged.error());
        }
        return {};
    }

private:
    // Removes the moving operators from their stages.
    void leave()
    {
        for (const OperatorId id : m_moved) {
            std::optional<Stage> &left = m_left[m_stageOf[id.index()]];
            if (left)
                continue;
            const Stage &whole = m_stages[m_stageOf[id.index()]];
            auto operators = operatorsOf(whole);
            std::erase_if(operators, [&](OperatorId other) { return m_isMoved[other.index()]; });
            left = stageOf(m_graph, whole.block, std::move(operators), whole.strategy);
        }
        for (std::size_t i = 0; i < m_stages.size(); ++i)
            m_vanishBefore[i + 1] = m_vanishBefore[i] + (left(i).groups.empty() ? 1 : 0);
    }

    [[nodiscard]] const Stage &left(std::size_t stage) const
    {
        return m_left[stage] ? *m_left[stage] : m_stages[stage];
    }

    [[nodiscard]] Stage targetOf(const EditPlace &place) const
    {
        if (!place.isNew) {
            auto operators = operatorsOf(left(place.stage));
            operators.insert(operators.end(), m_moved.begin(), m_moved.end());
            return stageOf(m_graph, m_stages[place.stage].block, std::move(operators), m_stages[place.stage].strategy);
        }
        return stageOf(m_graph, m_stages[m_stageOf[m_moved.front().index()]].block, m_moved,
                       strategyApart(m_stages, m_stageOf, m_moved));
    }

    [[nodiscard]] Result<void> checkBlocks(const EditPlace &place, const Stage &target, std::size_t at) const
    {
        for (const auto &group : target.groups) {
            for (const OperatorId id : group) {
                if (m_blockOf[id.index()] != target.block)
                    return within(stageName(at),
                                  isInAnotherBlock(m_graph, id, m_blockOf[id.index()], target.block).value());
            }
        }
        if (!place.isNew)
            return {};
        std::size_t before = place.stage;
        while (before > 0 && left(before - 1).groups.empty())
            --before;
        if (before > 0 && m_stages[before - 1].block > target.block)
            return within(stageName(at), runsAfterLaterBlock(m_graph, target.groups.front().front(), target.block,
                                                             m_stages[before - 1].block)
                                             .value());
        std::size_t behind = place.stage;
        while (behind < m_stages.size() && left(behind).groups.empty())
            ++behind;
        if (behind < m_stages.size() && m_stages[behind].block < target.block)
            return within(stageName(at + 1), runsAfterLaterBlock(m_graph, left(behind).groups.front().front(),
                                                                 m_stages[behind].block, target.block)
                                                 .value());
        return {};
    }

    // The error for the first operator of a stage before the place that reads a moving operator.
    [[nodiscard]] Error readsMoved(const Stage &stage) const
    {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                for (const OperatorId producer : m_graph.predecessors(id)) {
                    if (m_isMoved[producer.index()])
                        return runsBefore(m_graph, id, producer).value();
                }
            }
        }
        return {};
    }

    // `there`: one past the last stage that runs before the target or is the target, in current numbers.
    [[nodiscard]] Result<void> checkReads(const Stage &target, std::size_t there) const
    {
        const auto members = operatorsOf(target);
        for (const auto &group : target.groups) {
            for (const OperatorId id : group) {
                for (const OperatorId producer : m_graph.predecessors(id)) {
                    const bool isWithin = std::ranges::binary_search(members, producer);
                    if (!isWithin && m_stageOf[producer.index()] >= there)
                        return runsBefore(m_graph, id, producer);
                    if (isWithin && target.isMerged())
                        return runsConcurrently(m_graph, id, producer);
                }
            }
        }
        return {};
    }

    const Graph &m_graph;
    std::span<const Stage> m_stages;
    std::vector<OperatorId> m_moved;
    std::vector<std::size_t> m_stageOf;
    std::vector<std::size_t> m_blockOf;
    std::vector<bool> m_isMoved;
    std::vector<std::optional<Stage>> m_left;
    std::vector<std::size_t> m_vanishBefore; // per stage: the number of earlier stages that become empty
    std::size_t m_lastProducer = 0;          // one past the stage of the last operator that they read
    std::size_t m_firstReader = kNoStage;    // stage of the first operator that reads one of them
};

} // namespace

std::vector<EditPlaceAnswer> editPlaces(const Graph &graph, const Blocks &blocks, std::span<const Stage> stages,
                                        std::span<const OperatorId> operators)
{
    const Places places(graph, blocks, stages, operators);
    std::vector<EditPlaceAnswer> answers;
    answers.reserve(2 * stages.size() + 1);
    const auto ask = [&](const EditPlace &place) { answers.push_back({place, places.check(place)}); };
    for (std::size_t i = 0; i < stages.size(); ++i) {
        ask({i, true});
        ask({i, false});
    }
    ask({stages.size(), true});
    return answers;
}

Edit editTo(const EditPlace &place, std::vector<OperatorId> operators)
{
    if (place.isNew)
        return MoveToNewStage{std::move(operators), place.stage};
    return MoveToStage{std::move(operators), place.stage};
}

std::vector<OperatorId> companions(const Graph &graph, std::span<const Stage> stages,
                                   std::span<const OperatorId> operators, const EditPlace &place)
{
    const auto stageOf = stageOfOperators(graph, stages);
    const std::size_t firstBehind = place.isNew ? place.stage : place.stage + 1;
    std::vector<bool> isMoved(graph.size());
    std::vector<OperatorId> moved(operators.begin(), operators.end());
    for (const OperatorId id : moved)
        isMoved[id.index()] = true;
    std::vector<OperatorId> result;
    const auto take = [&](OperatorId id) {
        if (isMoved[id.index()])
            return;
        isMoved[id.index()] = true;
        moved.push_back(id);
        result.push_back(id);
    };
    while (!moved.empty()) {
        const OperatorId next = moved.back();
        moved.pop_back();
        for (const OperatorId producer : graph.predecessors(next)) {
            if (stageOf[producer.index()] >= firstBehind)
                take(producer);
        }
        for (const OperatorId reader : graph.successors(next)) {
            if (stageOf[reader.index()] < place.stage)
                take(reader);
        }
    }
    std::ranges::sort(result);
    return result;
}

} // namespace stagecraft
