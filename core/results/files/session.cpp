#include "results/files/session.h"

#include "graph/operator_names.h"
#include "graph/union_parts.h"
#include "schedule/own_blocks.h"
#include "schedule/verify.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

// The graph's id of each operator in the session.
Result<std::vector<OperatorId>> placesIn(const Graph &graph, const std::vector<std::string> &operators)
{
    std::vector<OperatorId> places;
    places.reserve(operators.size());
    for (const std::string &name : operators) {
        const auto id = graph.find(name);
        if (!id)
            return within("operator " + name,
                          Error{ErrorCode::InvalidInput, "the model has no operator of this name any more", {}, {}});
        places.push_back(*id);
    }
    return places;
}

Stage moved(Stage stage, const std::vector<OperatorId> &places)
{
    for (auto &group : stage.groups) {
        for (OperatorId &id : group)
            id = places[id.index()];
    }
    for (OperatorId &id : stage.launchOrder)
        id = places[id.index()];
    return normalized(std::move(stage));
}

void move(Streams &streams, const std::vector<OperatorId> &places)
{
    for (StreamLaunch &launch : streams.launches) {
        for (OperatorId &id : launch.operators)
            id = places[id.index()];
        std::ranges::sort(launch.operators);
    }
}

bool isOf(const ScheduleResult &result, const SessionModel &model)
{
    return result.settings.model == model.reference && result.settings.batch == model.batch;
}

} // namespace

std::size_t endInterrupted(std::vector<ScheduleResult> &results)
{
    std::size_t without = 0;
    for (ScheduleResult &result : results) {
        if (!result.isUnderWay())
            continue;
        result.state = result.schedule ? ResultState::Done : ResultState::Failed;
        result.bestUs = 0;
        if (result.schedule)
            continue;
        ++without;
        result.trouble = result.origin == Origin::Searched  ? "the search was interrupted: search again"
                         : result.origin == Origin::Layouts ? "the choice of layouts was interrupted: choose them again"
                                                            : "was interrupted before it was measured";
    }
    return without;
}

Result<std::vector<ScheduleResult>> attached(const std::vector<ScheduleResult> &results, const SessionModel &model,
                                             const Graph &graph, const Blocks &blocks)
{
    TRY_AS(const auto places, placesIn(graph, model.operators));
    const bool areSeveral = !partsOfUnion(graph).empty();
    std::vector<ScheduleResult> tied;
    for (const ScheduleResult &result : results) {
        if (!isOf(result, model) || !result.schedule)
            continue;
        auto schedule = std::make_shared<TimedSchedule>(*result.schedule);
        for (Stage &stage : schedule->stages)
            stage = moved(std::move(stage), places);
        if (schedule->streams)
            move(*schedule->streams, places);
        const auto own = areSeveral ? ownBlocks(graph, blocks, schedule->stages) : std::nullopt;
        if (auto legal = verifySchedule(graph, own ? *own : blocks, *schedule); !legal)
            return within("result " + result.shownName(), std::move(legal.error()));
        ScheduleResult copy = result;
        copy.schedule = std::move(schedule);
        for (BlockSearch &block : copy.blocks) {
            for (RunnerUp &runnerUp : block.runnersUp)
                runnerUp.stage = moved(std::move(runnerUp.stage), places);
        }
        for (Stage &pin : copy.pins)
            pin = moved(std::move(pin), places);
        tied.push_back(std::move(copy));
    }
    return tied;
}

PruningPoint pointOf(const SearchRecord &record)
{
    const std::string strategies =
        record.strategy.substr(std::min(record.strategy.size(), std::size_t{4})); // "ios-both"
    return {strategySetFromString(strategies).value_or(StrategySet::Both), *record.r, *record.s, record.singleSource};
}

} // namespace stagecraft
