#include "flow/open/ios_schedule.h"

#include "schedule/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

// A stage, and the block of the file that it is from.
struct PlacedStage {
    Stage stage;
    std::size_t fileBlock = 0;
};

Result<OperatorId> operatorNamed(const std::string &name, const Graph &graph)
{
    if (const auto id = graph.find(name))
        return *id;
    return within("operator " + name,
                  Error{ErrorCode::InvalidInput,
                        fmt::format("the schedule is for another model: {} has no operator of this name", graph.name()),
                        "Open the model that the schedule was made for, or the file with the schedule itself",
                        {}});
}

// The operators that were merged into one, if the graph still has them all.
std::optional<Stage> mergeStage(const IosStage &stage, const Graph &graph)
{
    Stage merged;
    merged.strategy = Strategy::Merge;
    for (const std::string &name : stage.merged) {
        const auto id = graph.find(name);
        if (!id)
            return std::nullopt;
        merged.groups.push_back({*id});
    }
    return merged.groups.empty() ? std::nullopt : std::optional(std::move(merged));
}

Result<Stage> stageFrom(const IosStage &stage, const Graph &graph)
{
    if (auto merged = mergeStage(stage, graph))
        return std::move(*merged);
    Stage placed;
    for (const auto &names : stage.groups) {
        auto &group = placed.groups.emplace_back();
        for (const std::string &name : names) {
            TRY_AS(const auto id, operatorNamed(name, graph));
            group.push_back(id);
        }
    }
    return placed;
}

// Where an operator is: its stage and group.
struct Place {
    std::size_t stage = 0;
    std::size_t group = 0;

    friend auto operator<=>(const Place &, const Place &) = default;
};

using Places = std::vector<std::optional<Place>>;

Places placesIn(const std::vector<PlacedStage> &stages, const Graph &graph)
{
    Places places(graph.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (std::size_t group = 0; group < stages[i].stage.groups.size(); ++group) {
            for (const OperatorId id : stages[i].stage.groups[group])
                places[id.index()] = Place{i, group};
        }
    }
    return places;
}

// Adds the slices, which the format does not list.
std::vector<PlacedStage> withSlices(std::vector<PlacedStage> stages, const Graph &graph)
{
    const Places places = placesIn(stages, graph);
    std::vector<std::vector<OperatorId>> before(stages.size()); // slices that several groups of the stage read
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (graph.op(id).kind != OperatorKind::Slice || places[i])
            continue;
        std::vector<Place> readers;
        for (const OperatorId reader : graph.successors(id)) {
            if (const auto place = places[reader.index()])
                readers.push_back(*place);
        }
        if (readers.empty())
            continue; // the verifier says what is missing
        const Place first = *std::ranges::min_element(readers);
        const bool isOfOneGroup = std::ranges::all_of(
            readers, [&](const Place &reader) { return reader.stage != first.stage || reader.group == first.group; });
        Stage &stage = stages[first.stage].stage;
        if (isOfOneGroup && !stage.isMerged())
            stage.groups[first.group].push_back(id);
        else
            before[first.stage].push_back(id);
    }
    std::vector<PlacedStage> all;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (!before[i].empty()) {
            PlacedStage &slices = all.emplace_back(PlacedStage{{}, stages[i].fileBlock});
            for (const OperatorId id : before[i])
                slices.stage.groups.push_back({id});
        }
        all.push_back(std::move(stages[i]));
    }
    return all;
}

Result<std::vector<PlacedStage>> placedStages(const std::vector<IosStage> &stages, const Graph &graph)
{
    std::vector<PlacedStage> placed;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        auto stage = stageFrom(stages[i], graph);
        if (!stage)
            return within(fmt::format("stage {}", i + 1), std::move(stage.error()));
        placed.push_back({std::move(*stage), stages[i].block});
    }
    return withSlices(std::move(placed), graph);
}

Result<TimedSchedule> verified(std::vector<PlacedStage> placed, const Graph &graph, const Blocks &blocks)
{
    TimedSchedule schedule;
    schedule.context.batch = graph.batch();
    for (PlacedStage &each : placed)
        schedule.stages.push_back(normalized(std::move(each.stage)));
    TRY(verifySchedule(graph, blocks, schedule));
    return schedule;
}

} // namespace

Result<TimedSchedule> iosSchedule(const std::vector<IosStage> &stages, const Graph &graph, const Blocks &blocks)
{
    TRY_AS(auto placed, placedStages(stages, graph));
    std::vector<std::size_t> blockOf(graph.size());
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            blockOf[id.index()] = block;
    }
    for (PlacedStage &each : placed) {
        if (!each.stage.groups.empty() && !each.stage.groups.front().empty())
            each.stage.block = blockOf[each.stage.groups.front().front().index()];
    }
    return verified(std::move(placed), graph, blocks);
}

Result<ScheduleWithBlocks> iosScheduleWithBlocks(const std::vector<IosStage> &stages, const Graph &graph)
{
    TRY_AS(auto placed, placedStages(stages, graph));
    Blocks blocks;
    std::size_t fileBlock = 0;
    for (PlacedStage &each : placed) {
        const bool isFull =
            !blocks.empty() && blocks.back().operators.size() + each.stage.operatorCount() > kMaxBlockOperators;
        if (blocks.empty() || each.fileBlock != fileBlock || isFull)
            blocks.emplace_back();
        fileBlock = each.fileBlock;
        each.stage.block = blocks.size() - 1;
        for (const auto &group : each.stage.groups)
            blocks.back().operators.insert(blocks.back().operators.end(), group.begin(), group.end());
    }
    for (Block &block : blocks)
        std::ranges::sort(block.operators);
    TRY(verifyBlocks(graph, blocks));
    TRY_AS(auto schedule, verified(std::move(placed), graph, blocks));
    return ScheduleWithBlocks{std::move(schedule), std::move(blocks)};
}

} // namespace stagecraft
