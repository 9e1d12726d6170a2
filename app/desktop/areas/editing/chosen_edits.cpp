#include "desktop/areas/editing/chosen_edits.h"

#include "schedule/compare/spans.h"
#include "schedule/stage_groups.h"

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

Result<EditedStages> tryEdit(const EditContext &context, const Edit &edit)
{
    auto edited = applyEdit(*context.model->graph, context.model->blocks, context.schedule->stages, edit);
    if (edited && edited->stages == context.schedule->stages)
        return cannot("nothing would change");
    return edited;
}

Result<Edit> splitChosen(const EditContext &context, const ChosenParts &chosen)
{
    const Schedule &schedule = *context.schedule;
    const auto stages = stagesOf(chosen, schedule);
    if (chosen.operators.empty())
        return cannot("choose operators of a stage first");
    if (stages.size() > 1)
        return cannot("the operators are of several stages");
    const Edit two = SplitStage{stages.front(), operatorsOf(chosen, schedule)};
    if (tryEdit(context, two))
        return two;
    const Edit three =
        splitInThree(*context.model->graph, schedule.stages, stages.front(), operatorsOf(chosen, schedule));
    return tryEdit(context, three) ? three : two;
}

Result<Edit> joinChosen(const EditContext &context, const ChosenParts &chosen, bool unmerge)
{
    const Schedule &schedule = *context.schedule;
    std::vector<std::size_t> stages = stagesOf(chosen, schedule);
    if (stages.empty())
        return nothingChosen();
    if (stages.size() == 1 && stages.front() + 1 < schedule.stages.size())
        stages.push_back(stages.front() + 1); // with the next one
    return JoinStages{stages, unmerge};
}

Result<Edit> toggleStrategyOfChosen(const EditContext &context, const ChosenParts &chosen, Strategy strategy)
{
    const Schedule &schedule = *context.schedule;
    const auto stages = stagesOf(chosen, schedule);
    if (stages.empty())
        return nothingChosen();
    const bool areSo =
        std::ranges::all_of(stages, [&](std::size_t stage) { return schedule.stages[stage].strategy == strategy; });
    return SetStrategy{stages, areSo ? Strategy::Concurrent : strategy};
}

Result<Edit> shiftChosen(const EditContext &context, const ChosenParts &chosen, bool later)
{
    const Schedule &schedule = *context.schedule;
    if (chosen.isEmpty())
        return nothingChosen();
    if (!chosen.operators.empty())
        return ShiftOperators{operatorsOf(chosen, schedule), later};
    const auto stages = stagesOf(chosen, schedule);
    if (later ? stages.back() + 1 >= schedule.stages.size() : stages.front() == 0)
        return cannot(later ? "it is the last stage" : "it is the first stage");
    return MoveStages{stages, later ? stages.back() + 2 : stages.front() - 1};
}

Result<Edit> resetChosen(const EditContext &context, const ChosenParts &chosen, const Schedule *origin, bool wholeBlock)
{
    const auto &stages = context.schedule->stages;
    const auto chosenStages = stagesOf(chosen, *context.schedule);
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

Result<Edit> resetEverything(const EditContext &context, const Schedule *origin)
{
    if (!origin)
        return cannot("it was not edited");
    return resetAll(context.schedule->stages, origin->stages);
}

Result<Edit> tryBestRunnerUp(const EditContext &context, const ChosenParts &chosen,
                             const std::vector<BlockSearch> &search)
{
    const auto &stages = context.schedule->stages;
    const auto chosenStages = stagesOf(chosen, *context.schedule);
    if (chosenStages.empty())
        return nothingChosen();
    const Stage &stage = stages[chosenStages.back()];
    const auto searched = std::ranges::find(search, stage.block, &BlockSearch::block);
    if (searched == search.end())
        return cannot("this block was not searched");
    for (const RunnerUp &other : searched->runnersUp) {
        const bool isThere = std::ranges::find(stages, other.stage) != stages.end();
        if (!isThere && shareOperators(other.stage, stage) && tryEdit(context, TryStage{other.stage}))
            return TryStage{other.stage};
    }
    return cannot("no runner-up is left for it");
}

std::vector<std::size_t> withWholeBlocks(const std::vector<std::size_t> &some, const Schedule &schedule)
{
    std::vector<std::size_t> stages;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        if (std::ranges::any_of(
                some, [&](std::size_t stage) { return schedule.stages[stage].block == schedule.stages[i].block; }))
            stages.push_back(i);
    }
    return stages;
}

} // namespace stagecraft
