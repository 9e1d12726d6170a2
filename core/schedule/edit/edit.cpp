#include "schedule/edit/edit.h"

#include "schedule/edit/edit_words.h"
#include "schedule/edit/stream_edit.h"
#include "schedule/own_blocks.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/require_stages.h"
#include "schedule/verify.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace stagecraft {

namespace {

// A stage during an edit: its operators, not yet grouped.
struct Draft {
    std::size_t block = 0;
    Strategy strategy = Strategy::Concurrent;
    std::vector<OperatorId> operators;
    const Stage *same = nullptr; // unchanged from this stage, or null
};

using Drafts = std::vector<Draft>;
using Operators = std::vector<OperatorId>;
using Indices = std::vector<std::size_t>;

class Editor {
public:
    Editor(const Graph &graph, const Blocks &blocks, const std::vector<Stage> &stages)
        : m_graph(graph), m_own(ownBlocks(graph, blocks, stages)), m_blocks(m_own ? *m_own : blocks), m_stages(stages),
          m_stageOf(stageOfOperators(graph, stages))
    {
    }

    // Of streams (schedule/edit/stream_edit.h).
    Result<std::vector<Stage>> operator()(const auto & /*edit*/) const { return m_stages; }

    Result<std::vector<Stage>> operator()(const MoveToStage &edit) const
    {
        TRY(check(edit.operators, edit.stage));
        const Operators moved = inOrder(edit.operators);
        Drafts drafts = without(moved, edit.stage);
        const bool areThere =
            std::ranges::all_of(moved, [&](OperatorId id) { return m_stageOf[id.index()] == edit.stage; });
        if (!areThere)
            add(drafts[edit.stage], moved);
        if (edit.unmerge)
            setStrategy(drafts[edit.stage], Strategy::Concurrent);
        return verified(std::move(drafts));
    }

    Result<std::vector<Stage>> operator()(const MoveToNewStage &edit) const
    {
        TRY(check(edit.operators));
        if (edit.before > m_stages.size())
            return noStage(edit.before);
        const Operators moved = inOrder(edit.operators);
        Drafts drafts = without(moved);
        drafts.insert(drafts.begin() + static_cast<std::ptrdiff_t>(edit.before), ofTheirOwn(moved));
        return verified(std::move(drafts));
    }

    Result<std::vector<Stage>> operator()(const ShiftOperators &edit) const
    {
        TRY(check(edit.operators));
        const Operators moved = inOrder(edit.operators);
        Drafts drafts = without(moved);
        for (const OperatorId id : moved) {
            const std::size_t from = m_stageOf[id.index()];
            if (edit.later ? from + 1 == m_stages.size() : from == 0)
                return refusedOperator(m_graph, id,
                                       edit.later ? "is in the last stage already" : "is in the first stage already");
            add(drafts[edit.later ? from + 1 : from - 1], {id});
        }
        return verified(std::move(drafts));
    }

    Result<std::vector<Stage>> operator()(const SplitStage &edit) const
    {
        TRY(check(edit.operators, edit.stage));
        const Operators part = inOrder(edit.operators);
        for (const OperatorId id : part) {
            if (m_stageOf[id.index()] != edit.stage)
                return refusedOperator(
                    m_graph, id,
                    fmt::format("is in {}, not in {}", stageName(m_stageOf[id.index()]), stageName(edit.stage)));
        }
        if (part.size() == m_stages[edit.stage].operatorCount())
            return fail(ErrorCode::InvalidInput, "a split would leave nothing in " + stageName(edit.stage));
        const auto at = static_cast<std::ptrdiff_t>(edit.stage);
        Drafts drafts = without(part);
        const Draft own{drafts[edit.stage].block, m_stages[edit.stage].strategy, part};
        Drafts behind = drafts;
        drafts.insert(drafts.begin() + at, own);
        auto before = verified(std::move(drafts));
        if (before)
            return before;
        behind.insert(behind.begin() + at + 1, own);
        auto after = verified(std::move(behind));
        return after ? after : before;
    }

    Result<std::vector<Stage>> operator()(const JoinStages &edit) const
    {
        const Indices joined = once(edit.stages);
        TRY(check(joined));
        if (joined.size() < 2)
            return fail(ErrorCode::InvalidInput, "it takes two stages to join");
        Operators all;
        bool merges = false;
        for (const std::size_t stage : joined) {
            const Operators some = operatorsOf(m_stages[stage]);
            all.insert(all.end(), some.begin(), some.end());
            merges = merges || m_stages[stage].isMerged();
        }
        std::optional<Result<std::vector<Stage>>> first;
        for (const std::size_t place : joined) {
            Drafts drafts = without(all);
            drafts[place].operators = all;
            drafts[place].strategy = merges && !edit.unmerge ? Strategy::Merge : Strategy::Concurrent;
            auto made = verified(std::move(drafts));
            if (made)
                return made;
            if (!first)
                first = std::move(made);
        }
        return std::move(*first);
    }

    Result<std::vector<Stage>> operator()(const SetStrategy &edit) const
    {
        const Indices chosen = once(edit.stages);
        TRY(check(chosen));
        std::vector<Stage> stages = m_stages;
        for (const std::size_t stage : chosen) {
            if (stages[stage].strategy == edit.strategy)
                continue;
            const Operators operators = operatorsOf(stages[stage]);
            stages[stage] = stageOf(m_graph, stages[stage].block, operators, edit.strategy);
            stages[stage].strategy = edit.strategy; // the verifier refuses what cannot be merged
        }
        return verified(std::move(stages));
    }

    Result<std::vector<Stage>> operator()(const MoveStages &edit) const
    {
        const Indices chosen = once(edit.stages);
        TRY(check(chosen));
        if (edit.before > m_stages.size())
            return noStage(edit.before);
        std::vector<Stage> stages;
        const auto isMoved = [&](std::size_t stage) { return std::ranges::binary_search(chosen, stage); };
        for (std::size_t i = 0; i <= m_stages.size(); ++i) {
            if (i == edit.before) {
                for (const std::size_t stage : chosen)
                    stages.push_back(m_stages[stage]);
            }
            if (i < m_stages.size() && !isMoved(i))
                stages.push_back(m_stages[i]);
        }
        return verified(std::move(stages));
    }

    // Everything that the stage depends on goes before it, everything that depends on it goes after. The rest is split
    // at one place, chosen so that the fewest stages change.
    Result<std::vector<Stage>> operator()(const TryStage &edit) const
    {
        const Operators own = operatorsOf(edit.stage);
        TRY(check(own));
        std::vector<Side> sides(m_graph.size(), Side::Either);
        for (const OperatorId id : own)
            sides[id.index()] = Side::Own;
        mark(sides, Side::Behind);
        mark(sides, Side::Before);
        std::size_t first = m_stages.size();
        std::size_t last = 0;
        for (const OperatorId id : own) {
            first = std::min(first, m_stageOf[id.index()]);
            last = std::max(last, m_stageOf[id.index()]);
        }
        std::optional<Result<std::vector<Stage>>> best;
        std::size_t fewest = std::numeric_limits<std::size_t>::max();
        for (std::size_t place = first; place <= last + 1; ++place) {
            auto made = verified(around(normalized(edit.stage), sides, place));
            if (!made) {
                if (!best)
                    best = std::move(made);
                continue;
            }
            const auto same = sameStages(m_stages, *made);
            const auto changed = static_cast<std::size_t>(std::ranges::count(same, kNoStage));
            if (changed < fewest) {
                fewest = changed;
                best = std::move(made);
            }
        }
        return std::move(*best);
    }

    Result<std::vector<Stage>> operator()(const ReplaceStages &edit) const
    {
        if (edit.first > m_stages.size() || edit.count > m_stages.size() - edit.first)
            return noStage(edit.first);
        const auto from = m_stages.begin() + static_cast<std::ptrdiff_t>(edit.first);
        std::vector<Stage> stages(m_stages.begin(), from);
        stages.insert(stages.end(), edit.stages.begin(), edit.stages.end());
        stages.insert(stages.end(), from + static_cast<std::ptrdiff_t>(edit.count), m_stages.end());
        return verified(std::move(stages));
    }

private:
    enum class Side { Either, Before, Own, Behind };

    [[nodiscard]] tl::unexpected<Error> noStage(std::size_t stage) const
    {
        return fail(ErrorCode::InvalidInput, fmt::format("there is no {}: the schedule has {} {}", stageName(stage),
                                                         m_stages.size(), m_stages.size() == 1 ? "stage" : "stages"));
    }

    // At least one operator is named, and all of them exist.
    [[nodiscard]] Result<void> check(const Operators &operators) const
    {
        if (operators.empty())
            return fail(ErrorCode::InvalidInput, "no operator is named");
        for (const OperatorId id : operators) {
            if (!id.isValid() || id.index() >= m_graph.size())
                return fail(ErrorCode::InvalidInput, "an operator is named that the model does not have");
        }
        return {};
    }

    [[nodiscard]] Result<void> check(const Indices &stages) const
    {
        if (stages.empty())
            return fail(ErrorCode::InvalidInput, "no stage is named");
        for (const std::size_t stage : stages) {
            if (stage >= m_stages.size())
                return noStage(stage);
        }
        return {};
    }

    [[nodiscard]] Result<void> check(const Operators &operators, std::size_t stage) const
    {
        auto checked = check(operators);
        return checked ? check(Indices{stage}) : checked;
    }

    static Operators inOrder(Operators operators)
    {
        std::ranges::sort(operators);
        operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
        return operators;
    }

    static Indices once(Indices stages)
    {
        std::ranges::sort(stages);
        stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
        return stages;
    }

    [[nodiscard]] Drafts without(const Operators &operators, std::size_t keptWhole = kNoStage) const
    {
        Drafts drafts;
        for (const Stage &stage : m_stages)
            drafts.push_back({stage.block, stage.strategy, {}, &stage});
        std::vector<bool> isTaken(m_graph.size());
        for (const OperatorId id : operators) {
            isTaken[id.index()] = true;
            if (m_stageOf[id.index()] != keptWhole)
                open(drafts[m_stageOf[id.index()]]);
        }
        for (std::size_t i = 0; i < drafts.size(); ++i) {
            if (i != keptWhole && !drafts[i].same)
                std::erase_if(drafts[i].operators, [&](OperatorId id) { return isTaken[id.index()]; });
        }
        return drafts;
    }

    static void open(Draft &draft)
    {
        if (draft.same)
            draft.operators = operatorsOf(*draft.same);
        draft.same = nullptr;
    }

    static void add(Draft &draft, const Operators &operators)
    {
        open(draft);
        draft.operators.insert(draft.operators.end(), operators.begin(), operators.end());
        draft.operators = inOrder(std::move(draft.operators));
    }

    static void setStrategy(Draft &draft, Strategy strategy)
    {
        open(draft);
        draft.strategy = strategy;
    }

    [[nodiscard]] Draft ofTheirOwn(const Operators &operators) const
    {
        return {m_stages[m_stageOf[operators.front().index()]].block, strategyApart(m_stages, m_stageOf, operators),
                operators};
    }

    [[nodiscard]] Result<std::vector<Stage>> verified(Drafts drafts) const
    {
        std::vector<Stage> stages;
        stages.reserve(drafts.size());
        for (Draft &draft : drafts) {
            if (draft.same)
                stages.push_back(*draft.same);
            else if (!draft.operators.empty())
                stages.push_back(stageOf(m_graph, draft.block, std::move(draft.operators), draft.strategy));
        }
        return verified(std::move(stages));
    }

    [[nodiscard]] Result<std::vector<Stage>> verified(std::vector<Stage> stages) const
    {
        Schedule candidate;
        candidate.stages = std::move(stages);
        TRY(verifySchedule(m_graph, m_blocks, candidate));
        return std::move(candidate.stages);
    }

    // Behind: everything that depends on Own; Before: everything that those depend on. Ids are in topological order.
    void mark(std::vector<Side> &sides, Side side) const
    {
        const auto step = [&](std::size_t index) {
            const auto id = OperatorId::fromIndex(index);
            const auto others = side == Side::Behind ? m_graph.predecessors(id) : m_graph.successors(id);
            const bool isReached = std::ranges::any_of(others, [&](OperatorId other) {
                return sides[other.index()] == side || sides[other.index()] == Side::Own;
            });
            if (sides[index] == Side::Either && isReached)
                sides[index] = side;
        };
        for (std::size_t i = 0; i < sides.size(); ++i)
            step(side == Side::Behind ? i : sides.size() - 1 - i);
    }

    [[nodiscard]] std::vector<Stage> around(const Stage &own, const std::vector<Side> &sides, std::size_t place) const
    {
        std::vector<Stage> before;
        std::vector<Stage> behind;
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            Operators early;
            Operators late;
            for (const OperatorId id : operatorsOf(m_stages[i])) {
                const Side side = sides[id.index()];
                if (side == Side::Before || (side == Side::Either && i < place))
                    early.push_back(id);
                else if (side != Side::Own)
                    late.push_back(id);
            }
            for (auto *part : {&early, &late}) {
                if (part->empty())
                    continue;
                auto &stages = part == &early ? before : behind;
                if (part->size() == m_stages[i].operatorCount())
                    stages.push_back(m_stages[i]);
                else
                    stages.push_back(stageOf(m_graph, m_stages[i].block, *part, m_stages[i].strategy));
            }
        }
        before.push_back(own);
        before.insert(before.end(), behind.begin(), behind.end());
        return before;
    }

    const Graph &m_graph;
    std::optional<Blocks> m_own;
    const Blocks &m_blocks;
    const std::vector<Stage> &m_stages;
    std::vector<std::size_t> m_stageOf;
};

} // namespace

bool isOfStreams(const Edit &edit)
{
    return std::holds_alternative<MoveLaunches>(edit) || std::holds_alternative<SwapLaunches>(edit) ||
           std::holds_alternative<AddEvent>(edit) || std::holds_alternative<DropEvent>(edit);
}

Result<EditedStages> applyEdit(const Graph &graph, const Blocks &blocks, const Schedule &schedule, const Edit &edit)
{
    if (!schedule.streams)
        return applyEdit(graph, blocks, schedule.stages, edit);
    TRY(isOfStreams(edit) ? Result<void>() : requireStages(schedule, "this edit"));
    TRY_AS(auto edited, editedStreams(graph, blocks, *schedule.streams, edit));
    return EditedStages{{}, {}, streamEditWords(graph, *schedule.streams, edit), std::move(edited)};
}

Result<EditedStages> applyEdit(const Graph &graph, const Blocks &blocks, const std::vector<Stage> &stages,
                               const Edit &edit)
{
    if (isOfStreams(edit))
        return fail(ErrorCode::WrongUse, "this edit takes a schedule with streams, and this one has stages",
                    "Edit stages by --move, --new-stage, --split, --join, --merge or --concurrent");
    TRY_AS(auto made, std::visit(Editor(graph, blocks, stages), edit));
    EditedStages edited{std::move(made), {}, editWords(graph, stages, edit)};
    edited.words += editSideWords(stages, edited.stages, edit);
    const auto same = sameStages(stages, edited.stages);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == kNoStage)
            edited.changed.push_back(i);
    }
    return edited;
}

std::vector<std::size_t> sameStages(const std::vector<Stage> &before, const std::vector<Stage> &after)
{
    // Every operator is in one stage, so the first operator identifies a stage.
    std::vector<std::pair<OperatorId, std::size_t>> byFirst;
    for (std::size_t i = 0; i < before.size(); ++i)
        byFirst.emplace_back(before[i].groups.front().front(), i);
    std::ranges::sort(byFirst);
    std::vector<std::size_t> same;
    for (const Stage &stage : after) {
        const auto found = std::ranges::lower_bound(byFirst, stage.groups.front().front(), {},
                                                    &std::pair<OperatorId, std::size_t>::first);
        const bool isThere = found != byFirst.end() && before[found->second] == stage;
        same.push_back(isThere ? found->second : kNoStage);
    }
    return same;
}

} // namespace stagecraft
