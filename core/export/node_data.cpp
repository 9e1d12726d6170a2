#include "export/node_data.h"

#include "schedule/stage_colours.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_of_operators.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

void add(Json &results, const Operator &op, const Graph &graph, const Json &result)
{
    for (const TensorId output : op.outputs)
        results[graph.tensor(output).name] = result;
}

std::string textOf(const Json &document)
{
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace

std::string scheduleNodeData(const Graph &graph, const Schedule &schedule, bool isDark)
{
    const auto &colours = isDark ? kStageDark : kStageLight;
    const std::vector<std::size_t> places =
        schedule.streams ? streamOfOperators(schedule) : stageOfOperators(graph, schedule.stages);
    Json results = Json::object();
    for (std::size_t i = 0; i < graph.size(); ++i)
        add(results, graph.op(OperatorId::fromIndex(i)), graph,
            {{"value", places[i] + 1}, {"bgColor", fmt::format("#{:06x}", colours[places[i] % colours.size()])}});
    return textOf({{"results", results}});
}

std::string timelineNodeData(const Graph &graph, const Timeline &timeline)
{
    std::vector<std::int64_t> busyNs(graph.size(), 0);
    for (const KernelSpan &kernel : timeline.kernels) {
        if (!kernel.operators.empty())
            busyNs[kernel.operators.front().index()] += kernel.endNs - kernel.startNs;
    }
    Json results = Json::object();
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (busyNs[i] > 0)
            add(results, graph.op(OperatorId::fromIndex(i)), graph, {{"value", static_cast<double>(busyNs[i]) * 1e-3}});
    }
    return textOf({{"gradient", {{{"stop", 0}, {"bgColor", "#ffffff"}}, {{"stop", 1}, {"bgColor", "#e08214"}}}},
                   {"results", results}});
}

} // namespace stagecraft
