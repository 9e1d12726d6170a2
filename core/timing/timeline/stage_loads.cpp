#include "timing/timeline/stage_loads.h"

#include "graph/cost_basis.h"
#include "graph/operator_cost.h"

#include <algorithm>

namespace stagecraft {
namespace {

// Time-weighted, over a part of the timeline.
double meanIn(const CounterSeries &series, TimeRange range)
{
    double sum = 0;
    const auto begin = std::ranges::upper_bound(series.timesNs, range.fromNs);
    auto i = static_cast<std::size_t>(begin - series.timesNs.begin());
    i -= i > 0 ? 1 : 0;
    for (; i < series.timesNs.size() && i < series.values.size() && series.timesNs[i] < range.toNs; ++i) {
        const std::int64_t from = std::max(series.timesNs[i], range.fromNs);
        const std::int64_t until = i + 1 < series.timesNs.size() ? series.timesNs[i + 1] : range.toNs;
        sum += series.values[i] * static_cast<double>(std::max(from, std::min(until, range.toNs)) - from);
    }
    return range.sizeNs() > 0 ? sum / static_cast<double>(range.sizeNs()) : 0;
}

} // namespace

std::vector<StageLoad> stageLoads(const TimelineIndex &index, const Graph &graph,
                                  std::span<const std::vector<OperatorId>> operators)
{
    std::vector<StageLoad> loads;
    const CounterSeries *warps = index.timeline().counter("active warps");
    for (const StageSpan &span : index.timeline().stages) {
        if (span.stage >= operators.size())
            continue;
        const TimeRange range{span.startNs, span.endNs};
        StageLoad load;
        load.stage = span.stage;
        load.us = static_cast<double>(range.sizeNs()) / 1e3;
        for (const OperatorId op : operators[span.stage]) {
            load.isCosted = load.isCosted && isCosted(graph, op);
            load.flops += flops(graph, op);
            load.bytes += memoryBytes(graph, op);
        }
        if (range.sizeNs() > 0)
            load.busyShare = static_cast<double>(index.statistics(range).busyNs) / static_cast<double>(range.sizeNs());
        if (warps && warps->maximum > 0)
            load.warpsShare = meanIn(*warps, range) / warps->maximum;
        loads.push_back(load);
    }
    return loads;
}

double DeviceRoof::at(double intensity) const
{
    return isKnown() ? std::min(flopsPerSecond, intensity * bytesPerSecond) : 0;
}

double DeviceRoof::ridge() const
{
    return isKnown() ? flopsPerSecond / bytesPerSecond : 0;
}

DeviceRoof roofOf(const Timeline &timeline)
{
    const CounterSeries *arithmetic = timeline.counter("FLOP/s");
    const CounterSeries *memory = timeline.counter("DRAM bandwidth");
    return {arithmetic ? arithmetic->maximum : 0, memory ? memory->maximum : 0};
}

std::optional<RoofShare> roofShare(const StageLoad &load, const DeviceRoof &roof)
{
    if (!roof.isKnown() || load.us <= 0 || (load.flops <= 0 && load.bytes <= 0))
        return std::nullopt;
    const double arithmetic = load.flopsPerSecond() / roof.flopsPerSecond;
    const double memory = load.bytesPerSecond() / roof.bytesPerSecond;
    return arithmetic >= memory ? RoofShare{RoofLimit::Arithmetic, arithmetic} : RoofShare{RoofLimit::Memory, memory};
}

double leastUs(const Graph &graph, const DeviceRoof &roof)
{
    if (!roof.isKnown())
        return 0;
    double work = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
        work += flops(graph, OperatorId::fromIndex(i));
    auto bytes = static_cast<double>(weightTotals(graph).bytes);
    for (const auto ends : {graph.inputs(), graph.outputs()}) {
        for (const TensorId tensor : ends)
            bytes += static_cast<double>(graph.tensor(tensor).sizeBytes());
    }
    return std::max(work / roof.flopsPerSecond, bytes / roof.bytesPerSecond) * 1e6;
}

} // namespace stagecraft
