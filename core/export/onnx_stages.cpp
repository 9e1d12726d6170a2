#include "export/onnx_stages.h"

#include "results/files/schedule_json.h"
#include "schedule/merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
OnnxStages onnxStages(const Graph &graph, const TimedSchedule &schedule)
{
    OnnxStages stages{{}, toJson(graph, schedule)};
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        const auto metadata = [&](const std::string &name, std::size_t group) {
            return std::vector<std::pair<std::string, std::string>>{
                {"stagecraft.operator", name},
                {"stagecraft.stage", fmt::to_string(i + 1)},
                {"stagecraft.group", fmt::to_string(group + 1)},
                {"stagecraft.block", fmt::to_string(stage.block + 1)},
                {"stagecraft.strategy", std::string(toString(stage.strategy))}};
        };
        if (stage.isMerged()) {
            std::vector<OperatorId> operators;
            for (const auto &group : stage.groups)
                operators.push_back(group.front());
            Operator merged = mergedWithConstants(graph, operators);
            auto entries = metadata(merged.name, 0);
            stages.units.push_back({std::move(operators), std::move(merged), std::move(entries)});
            continue;
        }
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group])
                stages.units.push_back({{id}, std::nullopt, metadata(graph.op(id).name, group)});
        }
    }
    // As in the graph, where the order of a simulated device's launches comes from.
    std::ranges::sort(stages.units, {}, [](const OnnxUnit &unit) { return unit.operators.front(); });
    return stages;
}

} // namespace stagecraft
