#include "cli/timeline_answer.h"

#include "cli/command_line.h"
#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "timing/timeline/timeline_rows.h"

#include <fmt/format.h>
#include <iostream>

namespace stagecraft {
namespace {

using answers::microseconds;

std::string valueText(const CounterSeries &series, double value)
{
    return fmt::format("{:.4g} {}", value, series.unit);
}

std::string stageText(const KernelSpan &kernel) // empty: mapped to nothing
{
    const auto stage = kernel.stageNumber();
    return stage ? fmt::to_string(*stage) : std::string();
}

std::string groupText(const KernelSpan &kernel)
{
    return kernel.stageNumber() ? fmt::to_string(kernel.group + 1) : std::string();
}

std::string rowText(const Timeline &timeline, const KernelSpan &kernel)
{
    return timeline.isOfProfile() ? timeline.streamNames[kernel.stream] : fmt::to_string(kernel.stream + 1);
}

TextTable kernelTable(const Graph &graph, const Timeline &timeline)
{
    TextTable table({"kernel", "operators", "stage", "group", "stream", "from", "takes", "blocks", "threads"});
    for (const KernelSpan &kernel : timeline.kernels)
        table.add(kernel.name, operatorNames(graph, kernel), stageText(kernel), groupText(kernel),
                  rowText(timeline, kernel), plainLatency(microseconds(kernel.startNs)),
                  plainLatency(microseconds(kernel.endNs - kernel.startNs)),
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
                  fmt::format("{}{}", rows.first + 1, last), plainLatency(microseconds(kernel.startNs)),
                  plainLatency(microseconds(kernel.endNs - kernel.startNs)));
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

answers::TimelineAnswer timelineAnswer(const Model &model, const Timeline &timeline, const DeviceInfo &device,
                                       const CostBasis &basis)
{
    const bool hasThreads = hasThreadRows(timeline);
    answers::TimelineAnswer answer{.device = timeline.device,
                                   .provenance = timeline.provenance,
                                   .simulationErrors = device.simulationErrors,
                                   .durationNs = timeline.durationNs,
                                   .rows = timeline.streams,
                                   .rowNames = timeline.streamNames,
                                   .hasThreads = hasThreads,
                                   .notes = timeline.notes,
                                   .modelNotes = model.report.notes,
                                   .basis = basis};
    const TimePartSources sources = timePartSources(timeline);
    // Of recorded latencies nothing says what ran when.
    const std::vector<TimeParts> parts =
        timeline.kernels.empty() ? std::vector<TimeParts>(timeline.stages.size()) : timeParts(timeline);
    for (std::size_t i = 0; i < timeline.stages.size(); ++i)
        answer.stages.push_back({timeline.stages[i], {parts[i], sources}});
    for (const KernelSpan &kernel : timeline.kernels) {
        auto &timed = answer.kernels.emplace_back(answers::TimedKernel{.span = kernel, .hasThreads = hasThreads});
        if (hasThreads)
            timed.threads = rowsOf(kernel, timeline);
        for (const OperatorId op : kernel.operators)
            timed.operators.push_back(model.graph->op(op).name);
    }
    for (const CounterSeries &series : timeline.counters)
        answer.counters.push_back({series, mean(series, timeline.durationNs)});
    return answer;
}

void printTimeline(const Model &model, const Timeline &timeline, const DeviceInfo &device, const std::string &schedule,
                   const CostBasis &basis, bool kernels, bool stages)
{
    const std::string first = costLines(basis);
    std::cout << first;
    printTables(*model.graph, timeline, kernels, stages);
    const bool threads = hasThreadRows(timeline);
    std::cout << model.name << ", " << schedule << " schedule on " << timeline.device << ": "
              << counted(runCount(timeline), threads ? "operator" : "kernel") << " on "
              << counted(timeline.streams, threads ? "thread" : "stream") << " in "
              << plainLatency(microseconds(timeline.durationNs), basis) << " (" << toString(timeline.provenance) << ", "
              << basis.precision << ")\n"
              << simulationLines(device.calibration, device.simulationErrors);
    for (const std::string &note : timeline.notes) {
        if (first.find(note) == std::string::npos)
            std::cout << "note: " << note << '\n';
    }
}

} // namespace stagecraft
