#include "widgets/timeline/timeline_text.h"

#include "graph/cost_basis.h"
#include "timing/timeline/timeline_rows.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/timeline/kernel_rows.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft {
namespace {

QString rowText(const KernelSpan &kernel, const Timeline &timeline)
{
    const TimelineRows rows = rowsOf(kernel, timeline);
    if (timeline.isOfProfile())
        return QString::fromStdString(timeline.streamNames[rows.first]);
    if (!hasThreadRows(timeline))
        return QStringLiteral("stream %1").arg(rows.first + 1);
    return rows.count == 1 ? QStringLiteral("thread %1").arg(rows.first + 1)
                           : QStringLiteral("threads %1 to %2").arg(rows.first + 1).arg(rows.first + rows.count);
}

} // namespace

QString counterText(const CounterSeries &series, double value)
{
    if (series.unit == "FLOP/s" || series.unit == "B/s") {
        static constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P"};
        std::size_t prefix = 0;
        while (value >= 1000 && prefix + 1 < kPrefixes.size()) {
            value /= 1000;
            ++prefix;
        }
        return QStringLiteral("%1 %2%3")
            .arg(value, 0, 'f', 2)
            .arg(QLatin1String(kPrefixes[prefix]), QString::fromStdString(series.unit));
    }
    const QString text = series.unit == "warps" ? countText(static_cast<std::int64_t>(std::llround(value)))
                                                : QString::number(value, 'f', 1);
    return QStringLiteral("%1 %2").arg(text, QString::fromStdString(series.unit));
}

QString meanText(const CounterSeries &series, double mean)
{
    const QString value = counterText(series, mean);
    return series.maximum > 0 && series.unit != "%"
               ? QStringLiteral("%1 (%2)").arg(value, percentText(mean / series.maximum))
               : value;
}

QString kernelName(const KernelSpan &kernel)
{
    return shownName(kernel.name);
}

QString operatorsText(const KernelSpan &kernel, const Graph *graph)
{
    QStringList names;
    for (const OperatorId op : kernel.operators) {
        if (graph && op.index() < graph->size())
            names << shownName(graph->op(op).name);
    }
    return names.join(QStringLiteral(" + "));
}

QString gapTip(const Gap &gap, std::size_t row, const TimelineIndex &index, const Graph *graph)
{
    const bool isOnThreads = hasThreadRows(index.timeline());
    const QString place = isOnThreads ? QStringLiteral("thread") : QStringLiteral("stream");
    const QString length = latencyText(microseconds(gap.range.sizeNs()));
    if (gap.kind == GapKind::Idle)
        return QStringLiteral("<b>Nothing</b> %1<br>no kernel on this row; the profile does not say why").arg(length);
    const QString stage = stageTitle(gap.stage);
    switch (gap.kind) {
    case GapKind::Launch: {
        const KernelSpan &next = index.kernel(index.row(row)[index.firstEndingAfter(row, gap.range.fromNs)]);
        const QString operators = operatorsText(next, graph);
        return QStringLiteral("<b>Launch</b> %1, %2<br>%3 %4")
            .arg(length, stage, (operators.isEmpty() ? kernelName(next) : operators).toHtmlEscaped(),
                 isOnThreads ? QStringLiteral("has not begun on this thread")
                             : QStringLiteral("is being launched, or waits for free SMs"));
    }
    case GapKind::Wait:
        return QStringLiteral("<b>Wait</b> %1, %2<br>this %3 is done and waits for the other groups of the stage")
            .arg(length, stage, place);
    case GapKind::Barrier:
        return QStringLiteral("<b>Barrier</b> %1, after %2<br>all groups are done; the next stage has not begun")
            .arg(length, stage);
    case GapKind::Unused:
    case GapKind::Idle: break;
    }
    return QStringLiteral("<b>%1</b> %2<br>no group of it is on this %3").arg(stage, length, place);
}

double valueAt(const CounterSeries &series, std::int64_t timeNs)
{
    const auto after = std::upper_bound(series.timesNs.begin(), series.timesNs.end(), timeNs);
    if (after == series.timesNs.begin())
        return 0;
    return series.values[static_cast<std::size_t>(after - series.timesNs.begin()) - 1];
}

QString kernelTip(const KernelSpan &kernel, const Timeline &timeline, const Graph *graph)
{
    const double spanUs = microseconds(kernel.endNs - kernel.startNs);
    const QString operators = operatorsText(kernel, graph).toHtmlEscaped();
    const QString name = kernelName(kernel).toHtmlEscaped();
    QString text = QStringLiteral("<b>%1</b><br>").arg(operators.isEmpty() ? name : operators);
    if (!operators.isEmpty() && !hasThreadRows(timeline)) // with thread rows, kernels are named after their operators
        text += name + QStringLiteral("<br>");
    text += kernel.stageOrNone()
                ? QStringLiteral("%1, group %2, %3<br>")
                      .arg(stageTitle(kernel.stage), groupLetter(kernel.group), rowText(kernel, timeline))
                : QStringLiteral("mapped to nothing, %1<br>").arg(rowText(kernel, timeline));
    text +=
        QStringLiteral("%1 <i>%2</i>, from %3")
            .arg(latencyText(spanUs), provenanceText(timeline.provenance), latencyText(microseconds(kernel.startNs)));
    if (!hasThreadRows(timeline) && kernel.threadsPerBlock > 0)
        text += QStringLiteral("<br>grid %1 × %2 × %3, %4 threads per block")
                    .arg(kernel.grid[0])
                    .arg(kernel.grid[1])
                    .arg(kernel.grid[2])
                    .arg(kernel.threadsPerBlock);
    if (kernel.registersPerThread > 0)
        text += QStringLiteral("<br>%1 registers per thread").arg(kernel.registersPerThread);
    if (kernel.sharedBytesPerBlock > 0)
        text += QStringLiteral("<br>%1 shared memory per block")
                    .arg(bytesText(static_cast<double>(kernel.sharedBytesPerBlock)));
    const bool costed = !graph || std::ranges::all_of(kernel.operators, [&](OperatorId op) {
        return op.index() >= graph->size() || isCosted(*graph, op);
    });
    if (!costed)
        text += QStringLiteral("<br>arithmetic not known");
    else if (kernel.flops > 0 && spanUs > 0)
        text += QStringLiteral("<br>%1, %2/s").arg(flopsText(kernel.flops), flopsText(kernel.flops / spanUs * 1e6));
    if (kernel.bytes > 0 && spanUs > 0)
        text += QStringLiteral("<br>%1, %2/s").arg(bytesText(kernel.bytes), bytesText(kernel.bytes / spanUs * 1e6));
    return text;
}

} // namespace stagecraft
