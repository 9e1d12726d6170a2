// The edit of each menu entry for the chosen parts.

#include "desktop/pane_row.h"
#include "desktop/schedule_editing.h"
#include "desktop/schedule_pane.h"
#include "schedule/compare/spans.h"
#include "schedule/edit/edit.h"
#include "schedule/stage_groups.h"
#include "widgets/schedule/schedule_edit_tool.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {
namespace {

tl::unexpected<Error> cannot(std::string reason)
{
    return fail(ErrorCode::InvalidInput, std::move(reason));
}

tl::unexpected<Error> nothingChosen()
{
    return cannot("choose a stage or operators first");
}

// For a part in the middle of a chain: what it reads in the stage, the part itself, and the rest become separate
// stages.
Edit splitInThree(const Graph &graph, const std::vector<Stage> &stages, std::size_t index,
                  const std::vector<OperatorId> &part)
{
    const Stage &whole = stages[index];
    const auto members = operatorsOf(whole);
    std::vector<OperatorId> before;
    std::vector<OperatorId> reached = part;
    while (!reached.empty()) {
        const OperatorId next = reached.back();
        reached.pop_back();
        for (const OperatorId producer : graph.predecessors(next)) {
            const auto isOneOf = [&](const auto &ids) { return std::ranges::find(ids, producer) != ids.end(); };
            if (!isOneOf(members) || isOneOf(part) || isOneOf(before))
                continue;
            before.push_back(producer);
            reached.push_back(producer);
        }
    }
    std::vector<OperatorId> behind;
    for (const OperatorId id : members) {
        const auto isOneOf = [&](const auto &ids) { return std::ranges::find(ids, id) != ids.end(); };
        if (!isOneOf(part) && !isOneOf(before))
            behind.push_back(id);
    }
    ReplaceStages edit{index, 1, {}, fmt::format("Split stage {} into three stages", index + 1)};
    for (const auto &operators : {before, part, behind}) {
        if (!operators.empty())
            edit.stages.push_back(stageOf(graph, whole.block, operators, whole.strategy));
    }
    return edit;
}

} // namespace

Result<Edit> ScheduleEditing::split() const
{
    const Schedule &schedule = *editTool()->context().schedule;
    const auto stages = stagesOf(chosen(), schedule);
    if (chosen().operators.empty())
        return cannot("choose operators of a stage first");
    if (stages.size() > 1)
        return cannot("the operators are of several stages");
    const Edit two = SplitStage{stages.front(), operatorsOf(chosen(), schedule)};
    if (tried(two))
        return two;
    const Edit three = splitInThree(*editTool()->context().model->graph, schedule.stages, stages.front(),
                                    operatorsOf(chosen(), schedule));
    return tried(three) ? three : two;
}

Result<Edit> ScheduleEditing::join(bool unmerge) const
{
    const Schedule &schedule = *editTool()->context().schedule;
    std::vector<std::size_t> stages = stagesOf(chosen(), schedule);
    if (stages.empty())
        return nothingChosen();
    if (stages.size() == 1 && stages.front() + 1 < schedule.stages.size())
        stages.push_back(stages.front() + 1); // with the next one
    return JoinStages{stages, unmerge};
}

Result<Edit> ScheduleEditing::toggleMerge() const
{
    const Schedule &schedule = *editTool()->context().schedule;
    const auto stages = stagesOf(chosen(), schedule);
    if (stages.empty())
        return nothingChosen();
    const bool areMerged =
        std::ranges::all_of(stages, [&](std::size_t stage) { return schedule.stages[stage].isMerged(); });
    return SetStrategy{stages, areMerged ? Strategy::Concurrent : Strategy::Merge};
}

// Moves operators into the neighbouring stage, or whole stages past it.
Result<Edit> ScheduleEditing::shift(bool later) const
{
    const Schedule &schedule = *editTool()->context().schedule;
    if (chosen().isEmpty())
        return nothingChosen();
    if (!chosen().operators.empty())
        return ShiftOperators{operatorsOf(chosen(), schedule), later};
    const auto stages = stagesOf(chosen(), schedule);
    if (later ? stages.back() + 1 >= schedule.stages.size() : stages.front() == 0)
        return cannot(later ? "it is the last stage" : "it is the first stage");
    return MoveStages{stages, later ? stages.back() + 2 : stages.front() - 1};
}

Result<Edit> ScheduleEditing::reset(bool wholeBlock) const
{
    const EditContext &context = editTool()->context();
    const auto &stages = context.schedule->stages;
    const SchedulePtr origin = m_document->editor()->editedFrom(result());
    const auto chosenStages = stagesOf(chosen(), *context.schedule);
    if (!origin)
        return cannot("it was not edited");
    if (chosenStages.empty())
        return nothingChosen();
    if (wholeBlock)
        return resetBlock(stages, origin->stages, stages[chosenStages.back()].block);
    if (chosenStages.size() == 1)
        return resetStage(stages, origin->stages, chosenStages.front());
    // One at a time; stage numbers change after each.
    std::vector<Stage> now = stages;
    for (const std::size_t each : chosenStages) {
        const OperatorId first = operatorsOf(stages[each]).front();
        const std::size_t there = stageOfOperators(*context.model->graph, now)[first.index()];
        TRY_AS(const auto edited,
               applyEdit(*context.model->graph, context.model->blocks, now, resetStage(now, origin->stages, there)));
        now = edited.stages;
    }
    return ReplaceStages{0, stages.size(), now, fmt::format("Reset {} stages", chosenStages.size())};
}

Result<Edit> ScheduleEditing::resetEverything() const
{
    const SchedulePtr origin = m_document->editor()->editedFrom(result());
    if (!origin)
        return cannot("it was not edited");
    return resetAll(editTool()->context().schedule->stages, origin->stages);
}

// Tries the cheapest runner-up of the search that shares operators with the chosen stage.
Result<Edit> ScheduleEditing::tryBest() const
{
    const auto &stages = editTool()->context().schedule->stages;
    const auto chosenStages = stagesOf(chosen(), *editTool()->context().schedule);
    if (chosenStages.empty())
        return nothingChosen();
    const Stage &stage = stages[chosenStages.back()];
    const std::vector<BlockSearch> search = m_document->searchOf(result());
    const auto searched = std::ranges::find(search, stage.block, &BlockSearch::block);
    if (searched == search.end())
        return cannot("this block was not searched");
    for (const RunnerUp &other : searched->runnersUp) {
        const bool isThere = std::ranges::find(stages, other.stage) != stages.end();
        if (!isThere && shareOperators(other.stage, stage) && tried(TryStage{other.stage}))
            return TryStage{other.stage};
    }
    return cannot("no runner-up is left for it");
}

void ScheduleEditing::togglePins(bool wholeBlocks)
{
    const Schedule &schedule = *editTool()->context().schedule;
    std::vector<std::size_t> stages = stagesOf(chosen(), schedule);
    if (stages.empty()) {
        editTool()->say(QStringLiteral("Choose a stage first"));
        return;
    }
    if (wholeBlocks) {
        const std::vector<std::size_t> some = std::exchange(stages, {});
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            if (std::ranges::any_of(
                    some, [&](std::size_t stage) { return schedule.stages[stage].block == schedule.stages[i].block; }))
                stages.push_back(i);
        }
    }
    const StageMarks marks = m_document->editor()->marksOf(result());
    const bool arePinned =
        !marks.empty() && std::ranges::all_of(stages, [&](std::size_t stage) { return marks[stage].isPinned; });
    m_document->editor()->pinStages(result(), stages, !arePinned);
}

} // namespace stagecraft
