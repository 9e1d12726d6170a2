#include "widgets/graph/paint/heat_scale.h"

#include "graph/cost_basis.h"
#include "graph/operator_cost.h"
#include "timing/timeline/timeline_rows.h"
#include "widgets/base/format.h"

#include <algorithm>

namespace stagecraft {
namespace {

// Of the stages, each counted once in its block.
void addStageLatencies(HeatScale &heat, const HeatSource &source)
{
    const TimedSchedule *schedule = source.schedule;
    if (!schedule || !schedule->hasStageLatencies())
        return;
    heat.what = QStringLiteral("of the stage");
    heat.provenance = schedule->measured.provenance;
    heat.leavesOutWork = schedule->leavesOutWork();
    for (std::size_t i = 0; i < schedule->stages.size(); ++i) {
        const Stage &stage = schedule->stages[i];
        const double latencyUs = schedule->measured.stages[i].latencyUs;
        for (const auto &group : stage.groups) {
            for (const OperatorId op : group) {
                if (op.index() < heat.values.size())
                    heat.values[op.index()] = latencyUs;
            }
        }
        if (stage.block < heat.blockValues.size())
            heat.blockValues[stage.block] = std::max(0.0, heat.blockValues[stage.block]) + latencyUs;
    }
}

template <typename Cost>
void addCosts(HeatScale &heat, const Graph &graph, const Cost &cost)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId op = OperatorId::fromIndex(i);
        if (isCosted(graph, op))
            heat.values[i] = cost(graph, op);
    }
}

// An operator of several kernels has their time; the operators of a merged one share it.
void addUtilisation(HeatScale &heat, const HeatSource &source)
{
    if (!source.timeline)
        return;
    const Timeline &timeline = source.timeline->timeline();
    const CounterSeries *rate = timeline.counter("FLOP/s");
    heat.isShare = rate && rate->maximum > 0;
    heat.provenance = timeline.provenance;
    heat.what = heat.isShare ? QStringLiteral("of the peak") : QStringLiteral("FLOP per second");
    std::vector<double> seconds(source.graph.size(), 0);
    std::vector<double> work(source.graph.size(), 0);
    for (const KernelSpan &kernel : timeline.kernels) {
        double flopsOfAll = 0;
        for (const OperatorId op : kernel.operators)
            flopsOfAll += op.index() < work.size() ? flops(source.graph, op) : 0;
        for (const OperatorId op : kernel.operators) {
            if (op.index() >= work.size())
                continue;
            seconds[op.index()] += static_cast<double>(kernel.endNs - kernel.startNs) / 1e9;
            work[op.index()] = std::max(work[op.index()], flopsOfAll);
        }
    }
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (seconds[i] > 0 && isCosted(source.graph, OperatorId::fromIndex(i)))
            heat.values[i] = work[i] / seconds[i] / (heat.isShare ? rate->maximum : 1);
    }
}

// Of an operator on several threads, the mean of its rows.
void addLostTime(HeatScale &heat, const HeatSource &source)
{
    if (!source.timeline)
        return;
    const TimelineIndex &index = *source.timeline;
    heat.provenance = index.timeline().provenance;
    heat.what = QStringLiteral("launches and waits");
    for (std::size_t row = 0; row < index.rows(); ++row) {
        const auto spans = index.row(row);
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const KernelSpan &kernel = index.kernel(spans[i]);
            const double lostUs =
                static_cast<double>(index.launchBefore(row, i).sizeNs() + index.waitAfter(row, i).sizeNs()) / 1e3 /
                static_cast<double>(rowsOf(kernel, index.timeline()).count);
            for (const OperatorId op : kernel.operators) {
                if (op.index() < heat.values.size())
                    heat.values[op.index()] = std::max(0.0, heat.values[op.index()]) + lostUs;
            }
        }
    }
}

void addBlocks(HeatScale &heat, const Blocks &blocks)
{
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId op : blocks[block].operators) {
            const double value = heat.values[op.index()];
            double &all = heat.blockValues[block];
            if (value >= 0)
                all = heat.of == Colouring::Utilisation ? std::max(all, value) : std::max(0.0, all) + value;
        }
    }
}

} // namespace

HeatScale heatOf(Colouring colouring, const HeatSource &source)
{
    HeatScale heat;
    heat.of = colouring;
    heat.values.assign(source.graph.size(), -1);
    heat.blockValues.assign(source.blocks.size(), -1);
    switch (colouring) {
    case Colouring::Heat: addStageLatencies(heat, source); break;
    case Colouring::Flops:
        heat.what = QStringLiteral("arithmetic");
        addCosts(heat, source.graph, flops);
        break;
    case Colouring::Bytes:
        heat.what = QStringLiteral("read and written");
        addCosts(heat, source.graph, memoryBytes);
        break;
    case Colouring::Utilisation: addUtilisation(heat, source); break;
    case Colouring::Lost: addLostTime(heat, source); break;
    case Colouring::Stage:
    case Colouring::Type:
    case Colouring::Moved:
    case Colouring::Layout:
    case Colouring::Model: return heat;
    }
    if (colouring != Colouring::Heat)
        addBlocks(heat, source.blocks);
    for (const double value : heat.values)
        heat.maximum = std::max(heat.maximum, value);
    return heat;
}

QString heatText(const HeatScale &heat, double value)
{
    switch (heat.of) {
    case Colouring::Flops: return flopsText(value);
    case Colouring::Bytes: return bytesText(value);
    case Colouring::Utilisation:
        return heat.isShare ? percentText(value) : QStringLiteral("%1/s").arg(flopsText(value));
    default: return shortLatencyText(value, false);
    }
}

QString noHeatText(Colouring colouring)
{
    switch (colouring) {
    case Colouring::Heat: return QStringLiteral("No latencies yet");
    case Colouring::Utilisation:
    case Colouring::Lost: return QStringLiteral("No timeline yet");
    default: return QStringLiteral("No costs known");
    }
}

} // namespace stagecraft
