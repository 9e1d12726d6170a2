#include "export/trace_rows.h"

#include "graph/operator_names.h"
#include "results/files/schedule_parts.h"
#include "results/files/streams_parts.h"
#include "schedule/stage_text.h"
#include "support/records/json_record.h"
#include "support/shown_text.h"
#include "timing/simulation_error.h"
#include "timing/timeline/timeline_rows.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

std::string jsonText(const nlohmann::ordered_json &json) // names need not be UTF-8
{
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::pair<std::string, TraceValue> planFact(const auto &inFile)
{
    return {std::string(kPlanFact), jsonText(jsonOf(inFile))};
}

std::pair<std::string, TraceValue> maximaFact(const std::vector<CounterSeries> &counters)
{
    auto maxima = nlohmann::ordered_json::object();
    for (const CounterSeries &series : counters) {
        if (series.maximum > 0)
            maxima[nameInTrace(series)] = series.maximum;
    }
    return {std::string(kMaximaFact), jsonText(maxima)};
}

TraceRow stageRow(const Graph &graph, const RatedResult &result)
{
    const OperatorNames names(graph);
    const Timeline &timeline = result.timeline->timeline();
    TraceRow row{"stages", "stage", {}};
    if (const auto &streams = result.schedule->streams)
        row.slices.push_back({"streams", 0, timeline.durationNs, {planFact(streamsInFile(names, *streams))}});
    for (const StageSpan &span : timeline.stages) {
        const Stage &stage = result.schedule->stages[span.stage];
        row.slices.push_back({fmt::format("stage {}", span.stage + 1),
                              span.startNs,
                              span.endNs,
                              {{std::string(kBlockFact), static_cast<std::int64_t>(stage.block + 1)},
                               {std::string(kStrategyFact), std::string(toString(stage.strategy))},
                               {"groups", stageText(graph, stage)},
                               planFact(namedGroups(names, stage))}});
    }
    if (!row.slices.empty() && !timeline.counters.empty())
        row.slices.front().facts.push_back(maximaFact(timeline.counters));
    return row;
}

TraceSlice kernelSlice(const Graph &graph, const KernelSpan &kernel)
{
    const bool isMapped = !kernel.operators.empty();
    TraceSlice slice{
        shownText(isMapped ? operatorNames(graph, kernel) : kernel.name), kernel.startNs, kernel.endNs, {}};
    slice.facts.emplace_back("kernel", shownText(kernel.name));
    if (const auto stage = kernel.stageNumber())
        slice.facts.insert(slice.facts.end(), {{"stage", static_cast<std::int64_t>(*stage)},
                                               {"group", static_cast<std::int64_t>(kernel.group + 1)}});
    if (isMapped)
        slice.facts.insert(slice.facts.end(), {{"FLOP", kernel.flops}, {"bytes", kernel.bytes}});
    if (kernel.threadsPerBlock > 0) {
        slice.facts.insert(slice.facts.end(),
                           {{"thread blocks", kernel.grid[0] * kernel.grid[1] * kernel.grid[2]},
                            {"threads per block", static_cast<std::int64_t>(kernel.threadsPerBlock)},
                            {"registers per thread", static_cast<std::int64_t>(kernel.registersPerThread)},
                            {"shared bytes per block", kernel.sharedBytesPerBlock}});
    }
    return slice;
}

} // namespace

std::string nameInTrace(const CounterSeries &series)
{
    return fmt::format("{} ({})", series.name, series.kind);
}

TraceProcess traceProcess(const Graph &graph, const RatedResult &result)
{
    const Timeline &timeline = result.timeline->timeline();
    TraceProcess process{shownText(result.name), {}, {}, timeline.counters};
    process.notes = {fmt::format("{}, {}", shownText(timeline.device), toString(timeline.provenance)),
                     fmt::format("model {}, batch {}, {}", shownText(graph.name()), result.schedule->context.batch,
                                 result.schedule->context.precision)};
    if (const auto &errors = result.schedule->measured.simulationErrors)
        process.notes.push_back(simulatedText(*errors));
    process.notes.insert(process.notes.end(), timeline.notes.begin(), timeline.notes.end());
    process.rows.push_back(stageRow(graph, result));
    const char *kind = hasThreadRows(timeline) ? "thread" : "stream";
    for (std::size_t i = 0; i < timeline.streams; ++i)
        process.rows.push_back(
            {timeline.isOfProfile() ? shownText(timeline.streamNames[i]) : fmt::format("{} {}", kind, i + 1),
             "kernel",
             {}});
    for (const KernelSpan &kernel : timeline.kernels) {
        const TimelineRows rows = rowsOf(kernel, timeline);
        for (std::size_t i = rows.first; i < rows.first + rows.count; ++i)
            process.rows[1 + i].slices.push_back(kernelSlice(graph, kernel));
    }
    return process;
}

} // namespace stagecraft
