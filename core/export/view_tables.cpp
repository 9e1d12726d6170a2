#include "export/view_tables.h"

#include "graph/cost_basis.h"
#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "support/number_text.h"

#include <cmath>
#include <fmt/format.h>
#include <ranges>

namespace stagecraft {
namespace {

double microseconds(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e3;
}

std::string producers(const Graph &graph, OperatorId id)
{
    const auto nameOf = [&](OperatorId producer) { return graph.op(producer).name; };
    return fmt::to_string(fmt::join(graph.predecessors(id) | std::views::transform(nameOf), ", "));
}

std::vector<std::string> blockNumbers(const Graph &graph, const Blocks &blocks)
{
    std::vector<std::string> numbers(graph.size());
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            numbers[id.index()] = fmt::to_string(block + 1);
    }
    return numbers;
}

std::string changeCell(double us, TableFor use)
{
    return use == TableFor::Programs ? latencyCell(us, use) : (us < 0 ? "-" : "+") + plainLatency(std::abs(us));
}

std::string amount(double value, TableFor use)
{
    return use == TableFor::Programs ? exactText(value) : grouped(static_cast<std::int64_t>(value));
}

} // namespace

Table graphTable(const Graph &graph, const Blocks &blocks, TableFor use)
{
    Table table{.title = graph.name(),
                .facts = fmt::format("{}, batch {}.", counted(static_cast<std::int64_t>(graph.size()), "operator"),
                                     graph.batch()),
                .columns = {"operator", "type", "block", "reads", "output", "flop", "bytes"},
                .numbers = 2};
    const std::vector<std::string> blockOf = blockNumbers(graph, blocks);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const Operator &op = graph.op(id);
        const bool hasCost = isCosted(graph, id);
        table.rows.push_back({op.name, displayType(op), blockOf[i], producers(graph, id),
                              op.outputs.empty() ? "" : toString(graph.outputShape(id)),
                              hasCost ? amount(flops(graph, id), use) : "",
                              hasCost ? amount(memoryBytes(graph, id), use) : ""});
    }
    return table;
}

namespace {

std::string stageCell(const KernelSpan &kernel)
{
    const auto stage = kernel.stageNumber();
    return stage ? fmt::to_string(*stage) : std::string();
}

std::string rowCell(const Timeline &timeline, const KernelSpan &kernel)
{
    return timeline.isOfProfile() ? timeline.streamNames[kernel.stream] : fmt::to_string(kernel.stream + 1);
}

} // namespace

Table timelineTable(const Graph &graph, std::span<const RatedResult> results, TableFor use)
{
    const std::string unit = use == TableFor::Programs ? "_us" : "";
    Table table{.title = graph.name() + ": kernels",
                .columns = {"schedule", "stage", "stream", "kernel", "operators", "provenance", "device",
                            "start" + unit, "duration" + unit},
                .numbers = 2};
    for (const RatedResult &result : results) {
        const Timeline &timeline = result.timeline->timeline();
        const std::string provenance(toString(timeline.provenance));
        table.facts += fmt::format("{}{}: {} on {}, {}.", table.facts.empty() ? "" : " ", result.name,
                                   plainLatency(microseconds(timeline.durationNs)), timeline.device, provenance);
        for (const KernelSpan &kernel : timeline.kernels)
            table.rows.push_back({result.name, stageCell(kernel), rowCell(timeline, kernel), kernel.name,
                                  operatorNames(graph, kernel), provenance, timeline.device,
                                  latencyCell(microseconds(kernel.startNs), use),
                                  latencyCell(microseconds(kernel.endNs - kernel.startNs), use)});
    }
    return table;
}

std::optional<ScheduleTimeParts> timePartsOf(const RatedResult &result)
{
    if (!result.schedule || !result.timeline)
        return std::nullopt;
    TimedSchedule schedule = *result.schedule;
    if (const auto latencyUs = result.latencyUs())
        schedule.measured.whole = Timing::ofLatency(*latencyUs);
    return scheduleTimeParts(schedule, *result.timeline);
}

Table timePartsTable(const std::string &model, std::span<const RatedResult> results, TableFor use)
{
    const std::string unit = use == TableFor::Programs ? "_us" : "";
    Table table{.title = model + ": where the time goes",
                .columns = {"schedule", "part", "provenance", "device", "time" + unit, "change" + unit},
                .numbers = 2};
    std::optional<ScheduleTimeParts> first;
    for (const RatedResult &result : results) {
        const auto parts = timePartsOf(result);
        if (!parts)
            continue;
        const Timeline &timeline = result.timeline->timeline();
        const std::string provenance(toString(parts->provenance));
        const auto add = [&](std::string_view part, double us, std::optional<double> change) {
            table.rows.push_back({result.name, std::string(part), provenance, timeline.device, latencyCell(us, use),
                                  change ? changeCell(*change, use) : ""});
        };
        for (std::size_t i = 0; i < kTimeParts; ++i) {
            const auto part = static_cast<TimePart>(i);
            if (parts->has(part) || (first && first->has(part)))
                add(use == TableFor::Programs ? timePartKey(part, parts->sources) : timePartText(part, parts->sources),
                    parts->whole.of(part),
                    first ? std::optional(parts->whole.of(part) - first->whole.of(part)) : std::nullopt);
        }
        add("latency", parts->latencyUs, first ? std::optional(parts->latencyUs - first->latencyUs) : std::nullopt);
        table.facts += fmt::format("{}{}: {} on {}, {}.", table.facts.empty() ? "" : " ", result.name,
                                   plainLatency(parts->latencyUs), timeline.device, provenance);
        if (!first)
            first = parts;
    }
    return table;
}

} // namespace stagecraft
