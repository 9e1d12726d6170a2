#include "device/cpu/cpu_timeline.h"

#include "device/cpu/onednn/program.h"
#include "graph/operator_cost.h"

#include <algorithm>
#include <map>

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

// The rTasks of a fused stage, by unit.
FusedUnits unitsOf(const Trace &trace, std::size_t stage, const RProgram &program, int cores)
{
    FusedUnits fused{static_cast<std::uint32_t>(stage), {}, {}};
    for (const ROperator &one : program.rOperators) {
        TimedROperator &to = fused.rOperators.emplace_back();
        to.op = one.op;
        to.chosen = static_cast<std::uint32_t>(one.chosen);
        for (const RKernel &rKernel : one.rKernels) {
            const double share = static_cast<double>(rKernel.rTasks) / cores;
            to.rKernels.push_back({rKernel.name, rKernel.rTasks, 0, std::min(1.0, share)});
        }
    }
    fused.rows.resize(program.units.size());
    for (const TraceSpan &span : trace.spans) {
        if (span.stage == stage)
            fused.rows[span.thread].tasks.push_back({span.rOperator, span.start.count(), span.end.count()});
    }
    return fused;
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
        kernel.stage = span.stage ? static_cast<std::uint32_t>(*span.stage) : kOfNoStage;
        kernel.group = span.group;
        kernel.stream = span.thread;
        kernel.startNs = span.start.count();
        kernel.endNs = span.end.count();
        kernel.grid = {span.width, 1, 1};
        kernel.threadsPerBlock = 0; // threads rather than blocks: timeline_rows.h
        for (const OperatorId id : span.steps->operators) {
            kernel.name += (kernel.name.empty() ? "" : " + ") + graph.op(id).name;
            kernel.flops += span.share * flops(graph, id);
            kernel.bytes += span.share * memoryBytes(graph, id);
        }
        timeline.streams = std::max(timeline.streams, kernel.stream + static_cast<std::size_t>(span.width));
    }
    std::ranges::stable_sort(timeline.kernels, {}, &KernelSpan::startNs);
    for (const auto &[stage, program] : trace.fused)
        timeline.fused.push_back(unitsOf(trace, stage, *program, cores));
    timeline.counters.push_back(threadsGiven(trace, cores));
    return timeline;
}

} // namespace stagecraft::cpu
