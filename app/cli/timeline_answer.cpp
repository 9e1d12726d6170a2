#include "cli/timeline_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "timing/timeline/timeline_rows.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

double us(std::int64_t ns)
{
    return static_cast<double>(ns) / 1000;
}

Json kernelJson(const Graph &graph, const KernelSpan &kernel, const Timeline &timeline)
{
    Json operators = Json::array();
    for (const OperatorId op : kernel.operators)
        operators.push_back(graph.op(op).name);
    Json json{{"name", kernel.name},
              {"operators", operators},
              {"stage", kernel.stage},
              {"stage_number", kernel.stage + 1},
              {"group", kernel.group},
              {"group_number", kernel.group + 1},
              {"start_us", us(kernel.startNs)},
              {"end_us", us(kernel.endNs)},
              {"flops", kernel.flops}};
    if (hasThreadRows(timeline)) {
        const TimelineRows rows = rowsOf(kernel, timeline);
        json["first_thread"] = rows.first;
        json["first_thread_number"] = rows.first + 1;
        json["threads"] = rows.count;
        return json;
    }
    json["stream"] = kernel.stream;
    json["stream_number"] = kernel.stream + 1;
    json["grid"] = kernel.grid;
    json["threads_per_block"] = kernel.threadsPerBlock;
    json["registers_per_thread"] = kernel.registersPerThread;
    json["shared_bytes_per_block"] = kernel.sharedBytesPerBlock;
    return json;
}

std::string valueText(const CounterSeries &series, double value)
{
    return fmt::format("{:.4g} {}", value, series.unit);
}

TextTable kernelTable(const Graph &graph, const Timeline &timeline)
{
    TextTable table({"kernel", "operators", "stage", "group", "stream", "from", "takes", "blocks", "threads"});
    for (const KernelSpan &kernel : timeline.kernels)
        table.add(kernel.name, operatorNames(graph, kernel), kernel.stage + 1, kernel.group + 1, kernel.stream + 1,
                  plainLatency(us(kernel.startNs)), plainLatency(us(kernel.endNs - kernel.startNs)),
                  grouped(kernel.grid[0] * kernel.grid[1] * kernel.grid[2]), kernel.threadsPerBlock);
    return table;
}

// For a CPU: there are no blocks, and operators run instead of kernels.
TextTable threadTable(const Graph &graph, const Timeline &timeline)
{
    TextTable table({"operators", "stage", "group", "threads", "from", "takes"});
    for (const KernelSpan &kernel : timeline.kernels) {
        const TimelineRows rows = rowsOf(kernel, timeline);
        const std::string last = rows.count == 1 ? "" : fmt::format(" to {}", rows.first + rows.count);
        table.add(operatorNames(graph, kernel), kernel.stage + 1, kernel.group + 1,
                  fmt::format("{}{}", rows.first + 1, last), plainLatency(us(kernel.startNs)),
                  plainLatency(us(kernel.endNs - kernel.startNs)));
    }
    return table;
}

std::string counted(std::size_t count, const std::string &noun)
{
    return grouped(static_cast<std::int64_t>(count)) + ' ' + noun + (count == 1 ? "" : "s");
}

void printTables(const Graph &graph, const Timeline &timeline, bool kernels, bool stages)
{
    if (stages)
        std::cout << stageTimesTable(timeline) << '\n';
    if (kernels)
        std::cout << (hasThreadRows(timeline) ? threadTable(graph, timeline) : kernelTable(graph, timeline)) << '\n';
    if (!timeline.counters.empty()) {
        TextTable table({"counter", "how", "mean", "of its maximum"});
        for (const CounterSeries &series : timeline.counters) {
            const double average = mean(series, timeline.durationNs);
            table.add({series.name, series.kind, valueText(series, average),
                       series.maximum > 0 ? percent(average / series.maximum) : ""});
        }
        std::cout << table << '\n';
    }
}

} // namespace

Json timelineJson(const Graph &graph, const Timeline &timeline)
{
    Json stages = Json::array();
    const TimePartSources sources = timePartSources(timeline);
    const std::vector<TimeParts> parts = timeParts(timeline);
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageSpan &stage = timeline.stages[i];
        stages.push_back({{"stage", stage.stage},
                          {"stage_number", stage.stage + 1},
                          {"start_us", us(stage.startNs)},
                          {"end_us", us(stage.endNs)},
                          {"time_parts", timePartsJson(parts[i], sources)}});
    }
    Json kernels = Json::array();
    for (const KernelSpan &kernel : timeline.kernels)
        kernels.push_back(kernelJson(graph, kernel, timeline));
    Json counters = Json::array();
    for (const CounterSeries &series : timeline.counters) {
        Json times = Json::array();
        for (const std::int64_t time : series.timesNs)
            times.push_back(us(time));
        counters.push_back({{"name", series.name},
                            {"unit", series.unit},
                            {"kind", series.kind},
                            {"maximum", series.maximum},
                            {"mean", mean(series, timeline.durationNs)},
                            {"times_us", times},
                            {"values", series.values}});
    }
    return {{"device", timeline.device},
            {"provenance", toString(timeline.provenance)},
            {"duration_us", us(timeline.durationNs)},
            {hasThreadRows(timeline) ? "threads" : "streams", timeline.streams},
            {"stages", stages},
            {"kernels", kernels},
            {"counters", counters},
            {"notes", timeline.notes}};
}

void printTimeline(const Model &model, const Timeline &timeline, const std::string &schedule, const CostBasis &basis,
                   bool kernels, bool stages)
{
    const std::string first = costLines(basis);
    std::cout << first;
    printTables(*model.graph, timeline, kernels, stages);
    const bool threads = hasThreadRows(timeline);
    std::cout << model.name << ", " << schedule << " schedule on " << timeline.device << ": "
              << counted(runCount(timeline), threads ? "operator" : "kernel") << " on "
              << counted(timeline.streams, threads ? "thread" : "stream") << " in "
              << plainLatency(us(timeline.durationNs), basis) << " (" << toString(timeline.provenance) << ", "
              << basis.precision << ")\n";
    for (const std::string &note : timeline.notes) {
        if (first.find(note) == std::string::npos)
            std::cout << "note: " << note << '\n';
    }
}

} // namespace stagecraft
