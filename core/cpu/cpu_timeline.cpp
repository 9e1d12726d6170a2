#include "cpu/cpu_timeline.h"

#include "cpu/onednn/program.h"
#include "graph/operator_table.h"

#include <algorithm>
#include <map>

namespace stagecraft::cpu {
namespace {

// A lane keeps all its threads for the operator it runs.
CounterSeries activeThreads(const Trace &trace, int cores)
{
    std::map<std::int64_t, int> changes{{0, 0}};
    for (const TraceSpan &span : trace.spans) {
        changes[span.start.count()] += span.width;
        changes[span.end.count()] -= span.width;
    }
    CounterSeries series{"active threads", "threads", "measured", static_cast<double>(cores), {}, {}};
    int active = 0;
    for (const auto &[time, change] : changes) {
        active += change;
        if (!series.values.empty() && series.values.back() == active)
            continue;
        series.timesNs.push_back(time);
        series.values.push_back(active);
    }
    return series;
}

} // namespace

Timeline timelineFrom(const Trace &trace, const Graph &graph, int cores)
{
    Timeline timeline;
    timeline.provenance = Provenance::Measured;
    timeline.device = "cpu";
    timeline.durationNs = trace.duration.count();
    timeline.streams = 1;
    for (std::size_t stage = 0; stage < trace.stages.size(); ++stage)
        timeline.stages.push_back({stage, trace.stages[stage].first.count(), trace.stages[stage].second.count()});
    for (const TraceSpan &span : trace.spans) {
        KernelSpan &kernel = timeline.kernels.emplace_back();
        kernel.operators = span.steps->operators;
        kernel.stage = span.stage;
        kernel.group = span.group;
        kernel.stream = span.lane;
        kernel.startNs = span.start.count();
        kernel.endNs = span.end.count();
        kernel.grid = {span.width, 1, 1};
        kernel.threadsPerBlock = 1;
        for (const OperatorId id : span.steps->operators) {
            kernel.name += (kernel.name.empty() ? "" : " + ") + graph.op(id).name;
            kernel.flops += flops(graph, id);
            kernel.bytes += memoryBytes(graph, id);
        }
        timeline.streams = std::max(timeline.streams, span.lane + 1);
    }
    std::ranges::stable_sort(timeline.kernels, {}, &KernelSpan::startNs);
    timeline.counters.push_back(activeThreads(trace, cores));
    return timeline;
}

} // namespace stagecraft::cpu
