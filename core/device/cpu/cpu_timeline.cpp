#include "device/cpu/cpu_timeline.h"

#include "device/cpu/onednn/program.h"
#include "graph/operator_cost.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::cpu {
namespace {

// Counts all threads of a lane while it runs an operator; how many of them are busy is not measured.
CounterSeries threadsGiven(const Trace &trace, int cores)
{
    std::map<std::int64_t, int> changes{{0, 0}};
    for (const TraceSpan &span : trace.spans) {
        changes[span.start.count()] += span.width;
        changes[span.end.count()] -= span.width;
    }
    CounterSeries series{"threads given to operators", "threads", "derived", static_cast<double>(cores), {}, {}};
    int given = 0;
    for (const auto &[time, change] : changes) {
        given += change;
        if (!series.values.empty() && series.values.back() == given)
            continue;
        series.timesNs.push_back(time);
        series.values.push_back(given);
    }
    return series;
}

using LaneWidths = std::map<std::pair<std::size_t, std::size_t>, int>; // by stage and lane

LaneWidths laneWidthsOf(const Trace &trace)
{
    LaneWidths widths;
    for (const TraceSpan &span : trace.spans)
        widths[{span.stage, span.lane}] = span.width;
    return widths;
}

// A lane's threads follow those of the lanes before it; every lane runs a group.
std::size_t firstThread(const TraceSpan &span, const LaneWidths &widths)
{
    std::size_t first = 0;
    for (std::size_t lane = 0; lane < span.lane; ++lane) {
        const auto found = widths.find({span.stage, lane});
        first += found == widths.end() ? 1 : static_cast<std::size_t>(found->second);
    }
    return first;
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
    const LaneWidths widths = laneWidthsOf(trace);
    for (const TraceSpan &span : trace.spans) {
        KernelSpan &kernel = timeline.kernels.emplace_back();
        kernel.operators = span.steps->operators;
        kernel.stage = span.stage;
        kernel.group = span.group;
        kernel.stream = firstThread(span, widths);
        kernel.startNs = span.start.count();
        kernel.endNs = span.end.count();
        kernel.grid = {span.width, 1, 1};
        kernel.threadsPerBlock = 0; // threads rather than blocks: timeline_rows.h
        for (const OperatorId id : span.steps->operators) {
            kernel.name += (kernel.name.empty() ? "" : " + ") + graph.op(id).name;
            kernel.flops += flops(graph, id);
            kernel.bytes += memoryBytes(graph, id);
        }
        timeline.streams = std::max(timeline.streams, kernel.stream + static_cast<std::size_t>(span.width));
    }
    std::ranges::stable_sort(timeline.kernels, {}, &KernelSpan::startNs);
    timeline.counters.push_back(threadsGiven(trace, cores));
    return timeline;
}

} // namespace stagecraft::cpu
