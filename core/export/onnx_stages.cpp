#include "export/onnx_stages.h"

#include "results/files/schedule_json.h"
#include "schedule/launched_groups.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "schedule/unit_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

OnnxUnit unitOf(const Graph &graph, std::vector<OperatorId> operators, Metadata metadata)
{
    OnnxUnit unit{.operators = std::move(operators)};
    if (unit.operators.size() > 1) {
        unit.merged = mergedWithConstants(graph, unit.operators);
        for (const OperatorId id : unit.operators)
            unit.extents.push_back(mergeExtent(graph.op(id)));
        unit.axis = mergeAxis(graph, unit.operators.front());
    }
    unit.metadata = {{"stagecraft.operator", unit.merged ? unit.merged->name : graph.op(unit.operators.front()).name}};
    std::ranges::move(metadata, std::back_inserter(unit.metadata));
    return unit;
}

void addStage(OnnxStages &stages, const Graph &graph, const Stage &stage, std::size_t number)
{
    const auto metadata = [&](std::size_t group) {
        return Metadata{{"stagecraft.stage", fmt::to_string(number)},
                        {"stagecraft.group", fmt::to_string(group + 1)},
                        {"stagecraft.block", fmt::to_string(stage.block + 1)},
                        {"stagecraft.strategy", std::string(toString(stage.strategy))}};
    };
    if (stage.isMerged()) {
        stages.units.push_back(unitOf(graph, operatorsOf(stage), metadata(0)));
        return;
    }
    std::size_t turn = 0;
    for (const auto &[id, group] : launchesOf(stage)) {
        Metadata its = metadata(group);
        if (!stage.launchOrder.empty())
            its.emplace_back("stagecraft.launch", fmt::to_string(++turn));
        stages.units.push_back(unitOf(graph, {id}, std::move(its)));
    }
}

void addLaunch(OnnxStages &stages, const Graph &graph, const StreamLaunch &launch, std::size_t number)
{
    Metadata metadata{{"stagecraft.launch", fmt::to_string(number)},
                      {"stagecraft.stream", fmt::to_string(launch.stream + 1)}};
    std::vector<std::uint32_t> waits = launch.waits;
    std::ranges::for_each(waits, [](std::uint32_t &wait) { ++wait; });
    if (!waits.empty())
        metadata.emplace_back("stagecraft.waits", fmt::to_string(fmt::join(waits, " ")));
    stages.units.push_back(unitOf(graph, launch.operators, std::move(metadata)));
}

} // namespace

OnnxStages onnxStages(const Graph &graph, const TimedSchedule &schedule)
{
    OnnxStages stages{{}, toJson(graph, schedule)};
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        addStage(stages, graph, schedule.stages[i], i + 1);
    for (std::size_t i = 0; schedule.streams && i < schedule.streams->launches.size(); ++i)
        addLaunch(stages, graph, schedule.streams->launches[i], i + 1);
    // As in the graph, where the order of a simulated device's launches comes from.
    std::vector<std::vector<OperatorId>> operators;
    std::ranges::transform(stages.units, std::back_inserter(operators), &OnnxUnit::operators);
    std::vector<OnnxUnit> ordered;
    for (const std::size_t unit : unitOrder(graph, operators))
        ordered.push_back(std::move(stages.units[unit]));
    stages.units = std::move(ordered);
    return stages;
}

} // namespace stagecraft
