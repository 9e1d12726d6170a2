#include "gpu/profile/traced_timeline.h"

#include "graph/operator_cost.h"
#include "support/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace stagecraft::gpu {
namespace {

constexpr int kThreadsPerWarp = 32;

// The branch of each task, in streams mode and in graphs alike.
std::vector<std::size_t> streamsOf(const ProgramPlan &plan)
{
    std::vector<std::size_t> streams(plan.tasks.size(), 0);
    for (const LaunchStep &step : plan.launches.steps) {
        if (step.kind == LaunchStep::Kind::Run)
            streams[step.item] = step.stream;
    }
    return streams;
}

KernelSpan spanOf(const KernelRecord &record, std::int64_t zeroNs)
{
    KernelSpan span;
    span.name = shortKernelName(record.name);
    span.startNs = record.startNs - zeroNs;
    span.endNs = record.endNs - zeroNs;
    span.grid = record.grid;
    span.threadsPerBlock = record.threadsPerBlock;
    span.registersPerThread = record.registersPerThread;
    span.sharedBytesPerBlock = record.staticSharedBytes + record.dynamicSharedBytes;
    return span;
}

// An operator may take several kernels (a copy, the convolution, a copy): the longest one gets its arithmetic.
void attributeFlops(const Graph &graph, std::vector<KernelSpan> &spans)
{
    std::map<std::vector<OperatorId>, KernelSpan *> longest;
    for (KernelSpan &span : spans) {
        if (span.operators.empty())
            continue;
        KernelSpan *&best = longest[span.operators];
        if (!best || span.endNs - span.startNs > best->endNs - best->startNs)
            best = &span;
    }
    for (const auto &[operators, span] : longest) {
        for (const OperatorId op : operators)
            span->flops += flops(graph, op);
    }
}

// A stage without kernels starts and ends where the previous one ends.
std::vector<StageSpan> stageSpans(const std::vector<KernelSpan> &kernels, std::size_t stages)
{
    std::vector<StageSpan> spans;
    std::int64_t reached = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        StageSpan span{stage, reached, reached};
        bool any = false;
        for (const KernelSpan &kernel : kernels) {
            if (kernel.stage != stage)
                continue;
            span.startNs = any ? std::min(span.startNs, kernel.startNs) : kernel.startNs;
            span.endNs = any ? std::max(span.endNs, kernel.endNs) : kernel.endNs;
            any = true;
        }
        reached = std::max(reached, span.endNs);
        spans.push_back(span);
    }
    return spans;
}

} // namespace

CounterSeries modelledWarps(std::span<const KernelRecord> records, std::int64_t zeroNs, std::int64_t durationNs,
                            const SmLimits &limits)
{
    std::map<std::int64_t, double> changes; // in the number of resident warps, by time
    for (const KernelRecord &record : records) {
        const std::int64_t begin = record.startNs - zeroNs;
        const std::int64_t end = record.endNs - zeroNs;
        const std::int64_t warpsPerBlock = (record.threadsPerBlock + kThreadsPerWarp - 1) / kThreadsPerWarp;
        const std::int64_t fit = std::int64_t{std::max(1, limits.blocksPerSm(record))} * std::max(1, limits.sms);
        const std::int64_t fullWaves = record.blocks() / fit;
        const std::int64_t rest = record.blocks() % fit;
        const std::int64_t waves = fullWaves + (rest > 0 ? 1 : 0);
        if (waves == 0 || end <= begin)
            continue;
        const std::int64_t tail = begin + static_cast<std::int64_t>(std::llround(static_cast<double>(end - begin) *
                                                                                 static_cast<double>(fullWaves) /
                                                                                 static_cast<double>(waves)));
        const auto full = static_cast<double>(fullWaves > 0 ? fit * warpsPerBlock : 0);
        const auto last = static_cast<double>(rest > 0 ? rest * warpsPerBlock : 0);
        changes[begin] += full;
        changes[tail] += last - full;
        changes[end] -= last;
    }
    CounterSeries series;
    series.name = "active warps";
    series.unit = "warps";
    series.kind = "modelled";
    series.maximum = static_cast<double>(limits.sms) * limits.warpsPerSm;
    double resident = 0;
    for (const auto &[time, change] : changes) {
        resident += change;
        const double value = std::clamp(resident, 0.0, series.maximum);
        if (time > durationNs || (!series.values.empty() && series.values.back() == value))
            continue;
        series.timesNs.push_back(time);
        series.values.push_back(value);
    }
    return series;
}

Timeline tracedTimeline(const Graph &graph, const ProgramPlan &plan, std::vector<KernelRecord> records,
                        const TaskMap &tasks, const SmLimits &limits, const Schedule &schedule)
{
    const std::size_t timeless =
        std::erase_if(records, [](const KernelRecord &record) { return record.startNs == 0 && record.endNs == 0; });
    std::ranges::stable_sort(records, {}, &KernelRecord::startNs);
    Timeline timeline;
    if (timeless > 0)
        timeline.notes.push_back(
            fmt::format("{} of {} kernels have no time and are left out", timeless, timeless + records.size()));
    timeline.provenance = Provenance::Measured;
    timeline.streams = plan.launches.streams;
    if (records.empty()) {
        timeline.stages = stageSpans({}, schedule.stages.size());
        return timeline;
    }
    const std::int64_t zeroNs = records.front().startNs;
    const std::vector<std::size_t> streams = streamsOf(plan);
    std::size_t strangers = 0;
    for (const KernelRecord &record : records) {
        KernelSpan span = spanOf(record, zeroNs);
        if (const auto task = tasks.taskOf(record); task && *task < plan.tasks.size()) {
            span.operators = plan.tasks[*task].operators;
            span.stage = schedule.streams ? kOfNoStage : plan.tasks[*task].stage;
            span.group = plan.tasks[*task].group;
            span.stream = streams[*task];
        } else {
            ++strangers;
            if (!timeline.kernels.empty()) {
                span.stage = timeline.kernels.back().stage;
                span.group = timeline.kernels.back().group;
                span.stream = timeline.kernels.back().stream;
            }
        }
        timeline.durationNs = std::max(timeline.durationNs, span.endNs);
        timeline.kernels.push_back(std::move(span));
    }
    if (strangers > 0)
        timeline.notes.push_back(
            fmt::format("{} of {} kernels could not be mapped to an operator", strangers, records.size()));
    attributeFlops(graph, timeline.kernels);
    timeline.stages = stageSpans(timeline.kernels, schedule.stages.size());
    timeline.counters.push_back(modelledWarps(records, zeroNs, timeline.durationNs, limits));
    return timeline;
}

void addUntraced(Timeline &timeline, double untracedUs)
{
    const double tracedUs = static_cast<double>(timeline.durationNs) / 1000;
    timeline.notes.push_back(fmt::format("the traced run took {}; without tracing it takes {}", plainLatency(tracedUs),
                                         plainLatency(untracedUs)));
}

} // namespace stagecraft::gpu
