#include "widgets/inspector/latency_reasons.h"

#include "operators/parameter_roles.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "widgets/base/format.h"
#include "widgets/base/time_part_look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace stagecraft {
namespace {

constexpr std::size_t kMaxSiblings = 8;
constexpr std::size_t kMaxPathLinks = 6;
constexpr double kNothingUs = 0.005;
constexpr double kLeastShare = 0.03; // of the largest part; smaller ones are not named

QString bandwidthText(double bytesPerSecond)
{
    return QStringLiteral("%1 GB/s").arg(magnitudeText(bytesPerSecond / 1e9));
}

QString factorOf(double latencyUs, double leastUs)
{
    return QStringLiteral("%1×").arg(latencyUs / leastUs, 0, 'f', latencyUs < 10 * leastUs ? 1 : 0);
}

// In a stage, what no counter divides is said as what it is.
QString partText(TimePart part, const TimePartSources &sources)
{
    if (part == TimePart::NotExplained)
        return sources.areCores ? QStringLiteral("running") : QStringLiteral("running or waiting");
    return timePartWords(part, sources);
}

QString capitalised(QString text)
{
    text[0] = text[0].toUpper();
    return text;
}

// Links to the path's slowest operators, in order: where shortening it is worth most.
InspectorRow slowestOf(const CriticalPath &path, const InspectorInput &input)
{
    std::vector<OperatorId> slowest = path.operators;
    std::ranges::stable_sort(slowest, std::greater{},
                             [&](OperatorId op) { return input.reasons->operatorUs[op.index()]; });
    slowest.resize(std::min(kMaxPathLinks, slowest.size()));
    std::ranges::sort(slowest);
    InspectorRow row;
    for (const OperatorId op : slowest)
        row.links.push_back(linkTo(input, op));
    return row;
}

} // namespace

LatencyReasons latencyReasons(const Graph &graph, const TimedSchedule &schedule, const TimelineIndex &timeline,
                              const TimedSchedule *sequential)
{
    LatencyReasons reasons;
    reasons.fused = timeline.timeline().fused;
    reasons.loads.resize(schedule.stages.size());
    std::vector<std::vector<OperatorId>> operators;
    for (const Stage &stage : schedule.stages)
        operators.push_back(operatorsOf(stage));
    reasons.roof = roofOf(timeline.timeline());
    reasons.leastUs = leastUs(graph, reasons.roof);
    for (const StageLoad &load : stageLoads(timeline, graph, operators))
        reasons.loads[load.stage] = load;
    reasons.parts.resize(schedule.stages.size());
    reasons.partSources = timePartSources(timeline.timeline());
    // Of recorded latencies nothing says what ran when.
    const std::vector<TimeParts> parts =
        timeline.timeline().kernels.empty() ? std::vector<TimeParts>() : timeline.parts().stages;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (const std::size_t stage = timeline.timeline().stages[i].stage; stage < reasons.parts.size())
            reasons.parts[stage] = parts[i];
    }
    if (sequential)
        reasons.operatorUs = operatorLatenciesUs(graph, *sequential);
    if (!reasons.operatorUs.empty()) {
        reasons.ofGraph = criticalPath(graph, reasons.operatorUs);
        reasons.ofStages = criticalPath(schedule, reasons.operatorUs);
    }
    return reasons;
}

std::vector<InspectorRow> reasonRows(const LatencyReasons &reasons, std::size_t stage)
{
    std::vector<InspectorRow> rows;
    if (stage >= reasons.loads.size() || !reasons.loads[stage])
        return rows;
    const StageLoad &load = *reasons.loads[stage];
    if (reasons.roof.isKnown() && load.isCosted && load.us > 0) {
        const double arithmetic = load.flopsPerSecond() / reasons.roof.flopsPerSecond;
        const double memory = load.bytesPerSecond() / reasons.roof.bytesPerSecond;
        rows.push_back(
            shareRow(QStringLiteral("Of peak"),
                     QStringLiteral("%1 of %2/s").arg(percentText(arithmetic), flopsText(reasons.roof.flopsPerSecond)),
                     std::min(1.0, arithmetic)));
        rows.push_back(
            shareRow(QStringLiteral("Bandwidth"),
                     QStringLiteral("%1 of %2").arg(percentText(memory), bandwidthText(reasons.roof.bytesPerSecond)),
                     std::min(1.0, memory)));
    }
    if (load.warpsShare)
        rows.push_back(shareRow(QStringLiteral("Warps"),
                                QStringLiteral("%1 of the device's maximum").arg(percentText(*load.warpsShare)),
                                *load.warpsShare));
    return rows;
}

InspectorSection timePartsSection(const InspectorInput &input, std::size_t stage)
{
    InspectorSection section{QStringLiteral("Where the time goes"), {}};
    if (!input.reasons || stage >= input.reasons->parts.size() || input.reasons->parts[stage].totalUs() <= 0)
        return section;
    section.provenance = input.schedule->measured.provenance;
    const TimeParts &parts = input.reasons->parts[stage];
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        if (!input.reasons->partSources.has(part))
            continue;
        const double share = parts.of(part) / parts.totalUs();
        section.rows.push_back(shareRow(capitalised(partText(part, input.reasons->partSources)),
                                        QStringLiteral("%1, %2").arg(latencyText(parts.of(part)), percentText(share)),
                                        share));
    }
    return section;
}

QString moreText(const RunnerUpTime &time)
{
    std::vector<TimePart> order;
    double largest = 0;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        order.push_back(static_cast<TimePart>(i));
        largest = std::max(largest, std::abs(time.more.us[i]));
    }
    const auto size = [&](TimePart part) { return std::abs(time.more.of(part)); };
    std::ranges::stable_sort(order, std::greater{}, size);
    QStringList parts;
    for (const TimePart part : order) {
        if (size(part) >= std::max(kNothingUs, kLeastShare * largest))
            parts << QStringLiteral("%1 %2").arg(partText(part, time.sources), signedLatencyText(time.more.of(part)));
    }
    const QString total = signedLatencyText(time.more.totalUs());
    return parts.isEmpty() ? total : QStringLiteral("%1: %2").arg(total, parts.join(QStringLiteral(", ")));
}

InspectorSection reasonSection(const InspectorInput &input)
{
    InspectorSection section{QStringLiteral("Why this latency"), {}};
    const LatencyReasons *reasons = input.reasons;
    const auto latency = input.schedule ? input.schedule->latencyUs() : std::nullopt;
    if (!reasons || !latency || *latency <= 0)
        return section;
    section.provenance = input.schedule->measured.provenance;
    if (reasons->leastUs > 0)
        section.rows.push_back(
            textRow(QStringLiteral("At peak"),
                    QStringLiteral("%1%2 with all work at the device's peak; this schedule takes %3")
                        .arg(input.schedule->leavesOutWork() ? QStringLiteral("at least ") : QString(),
                             latencyText(reasons->leastUs), factorOf(*latency, reasons->leastUs))));
    if (reasons->ofGraph.us <= 0)
        return section;
    section.rows.push_back(
        textRow(QStringLiteral("Critical path"),
                QStringLiteral("%1: %2 that wait for each other, each as fast as alone")
                    .arg(latencyText(reasons->ofGraph.us),
                         plural(static_cast<std::int64_t>(reasons->ofGraph.operators.size()), "operator"))));
    const double lostUs = reasons->ofStages.us - reasons->ofGraph.us;
    section.rows.push_back(textRow(
        QStringLiteral("With barriers"),
        lostUs < kNothingUs ? QStringLiteral("no longer: the slowest groups of the stages are the critical path")
                            : QStringLiteral("%1: the slowest group of every stage, %2 more")
                                  .arg(latencyText(reasons->ofStages.us), latencyText(lostUs))));
    section.rows.push_back(textRow(QStringLiteral("Slowest on the critical path"), QString()));
    section.rows.push_back(slowestOf(reasons->ofGraph, input));
    return section;
}

InspectorSection mergeSection(const InspectorInput &input, OperatorId op)
{
    const Graph &graph = *input.model.graph;
    InspectorSection section{QStringLiteral("Could merge with"), {}};
    const InputExpression &inputs = graph.op(op).inputs;
    const bool isProduct = graph.op(op).gemm() && graph.op(op).parameter(role::kWeight);
    if ((!graph.op(op).conv() && !isProduct) || inputs.empty() || inputs.front().empty())
        return section;
    const OperatorId producer = graph.tensor(inputs.front().front()).producer;
    std::vector<OperatorId> siblings;
    const auto add = [&](OperatorId other) {
        if (other != op && graph.op(other).kind == graph.op(op).kind && graph.op(other).inputs == inputs)
            siblings.push_back(other);
    };
    if (producer.isValid()) {
        std::ranges::for_each(graph.successors(producer), add);
    } else {
        for (std::size_t i = 0; i < graph.size(); ++i)
            add(OperatorId::fromIndex(i));
    }
    for (const OperatorId other : siblings) {
        if (section.rows.size() == kMaxSiblings) {
            section.rows.push_back(textRow(QString(), QStringLiteral("%1 more").arg(siblings.size() - kMaxSiblings),
                                           InspectorRow::Tone::Muted));
            break;
        }
        const auto merged = mergedOperator(graph, std::array{std::min(op, other), std::max(op, other)});
        InspectorRow row =
            textRow(QString(),
                    merged ? QStringLiteral("yes")
                           : QStringLiteral("no: %1").arg(QString::fromStdString(merged.error().message)),
                    merged ? InspectorRow::Tone::Normal : InspectorRow::Tone::Muted);
        row.links.push_back(linkTo(input, other));
        section.rows.push_back(std::move(row));
    }
    return section;
}

} // namespace stagecraft
