#include "widgets/timeline/timeline_words.h"

#include "graph/cost_basis.h"
#include "timing/timeline/timeline_rows.h"
#include "widgets/base/format.h"
#include "widgets/timeline/timeline_text.h"

#include <algorithm>

namespace stagecraft {
namespace {

// True if some operators have no cost.
bool leavesOutWork(const TimelineLane &lane)
{
    return lane.isMade() && lane.what().graph && lane.timeline().provenance == Provenance::Simulated &&
           !costBasis(*lane.what().graph).isComplete();
}

// Of the first counter over the whole time.
std::optional<Fact> meanFact(const TimelineStack &rows, const TimelineLane &lane)
{
    const CounterSeries *series =
        rows.counters().empty() ? nullptr : CounterPlot::find(lane, rows.counters().front()->choice());
    if (!series)
        return std::nullopt;
    const double average = mean(*series, lane.timeline().durationNs);
    Fact fact{QStringLiteral("mean"), counterText(*series, average)};
    if (series->maximum > 0 && series->unit != "%")
        fact.after = QStringLiteral("= %1").arg(percentText(average / series->maximum));
    if (series->kind != toString(lane.timeline().provenance))
        fact.after += QStringLiteral(" (%1)").arg(QString::fromStdString(series->kind));
    return fact;
}

QString counterTip(const TimelineStack &rows, std::size_t lane, const CounterPlot &counter, double sharedUs)
{
    const TimelineLane &of = *rows.lanes()[lane];
    const CounterSeries *series = counter.line(lane).series();
    const double timeUs = sharedUs + of.shiftUs;
    if (!series || timeUs < 0 || timeUs > of.durationUs())
        return {};
    const double value = valueAt(*series, nanoseconds(timeUs));
    const double pixelUs = counter.time()->pixelToCoord(1) - counter.time()->pixelToCoord(0);
    const double peak = counter.line(lane).between(timeUs * 1e3, (timeUs + pixelUs) * 1e3).peak;
    const QString letter = rows.isAlone() ? QString() : of.what().letter + QLatin1Char(' ');
    QString text = QStringLiteral("<br>%1%2: %3 <i>%4</i>")
                       .arg(letter, QString::fromStdString(series->name), meanText(*series, value),
                            QString::fromStdString(series->kind));
    if (peak > value)
        text += QStringLiteral("<br>peak here: %1").arg(counterText(*series, peak));
    return text;
}

} // namespace

std::vector<Fact> timelineFacts(const TimelineStack &rows)
{
    std::vector<Fact> facts;
    for (std::size_t i = 0; i < rows.lanes().size(); ++i) {
        const auto &lane = rows.lanes()[i];
        if (!lane->isMade()) {
            facts.push_back({lane->what().letter, QStringLiteral("being made ...")});
            continue;
        }
        const Timeline &timeline = lane->timeline();
        // A single traced run, not the latency of the schedule.
        const bool isOneRun = timeline.provenance == Provenance::Measured;
        QStringList of;
        if (!lane->what().letter.isEmpty())
            of << lane->what().letter;
        if (isOneRun)
            of << QStringLiteral("this run");
        facts.push_back({of.join(QStringLiteral(", ")),
                         latencyText(lane->durationUs(), leavesOutWork(*lane)),
                         {},
                         rows.isAlone() ? provenanceText(timeline.provenance) : QString(),
                         rows.isAlone() ? std::optional(timeline.provenance) : std::nullopt});
        auto fact = meanFact(rows, *lane);
        if (fact && rows.isAlone()) {
            facts.push_back(std::move(*fact));
        } else if (fact) { // short form, so that all fit
            const CounterSeries &series = *CounterPlot::find(*lane, rows.counters().front()->choice());
            const double average = mean(series, timeline.durationNs);
            facts.back().after = QStringLiteral("mean %1").arg(
                series.maximum > 0 ? percentText(average / series.maximum) : counterText(series, average));
            facts.back().line = i;
            facts.back().isAfterExtra = true; // it is on the axis, too
        }
    }
    if (rows.isAlone()) {
        const Timeline &timeline = rows.lanes().front()->timeline();
        facts.push_back({hasThreadRows(timeline) ? QStringLiteral("operators") : QStringLiteral("kernels"),
                         countText(static_cast<std::int64_t>(runCount(timeline)))});
        facts.push_back({QStringLiteral("device"), QString::fromStdString(timeline.device)});
    }
    return facts;
}

QString timelineNotes(const TimelineStack &rows)
{
    QStringList lines;
    for (const auto &lane : rows.lanes()) {
        for (std::size_t i = 0; lane->isMade() && i < lane->timeline().notes.size(); ++i)
            lines << QString::fromStdString(lane->timeline().notes[i]);
    }
    lines.removeDuplicates();
    return lines.join(QLatin1Char('\n'));
}

QString timelineTip(const TimelineStack &rows, QPointF at)
{
    const TimelineLane *lane = rows.laneAt(at);
    const double sharedUs = rows.timeAt(at.x());
    if (lane && lane->isMade()) {
        if (const KernelSpan *kernel = lane->kernels().kernelAt(at))
            return kernelTip(*kernel, lane->timeline(), lane->what().graph.get());
        const auto row = lane->kernels().rowAt(at.y());
        if (const auto gap = row ? lane->index()->gapAt(*row, nanoseconds(sharedUs + lane->shiftUs)) : std::nullopt)
            return gapTip(*gap, *row, *lane->index(), lane->what().graph.get());
    }
    const TimelineLane &of = lane ? *lane : rows.first();
    const double timeUs = sharedUs + of.shiftUs;
    if (timeUs < 0 || timeUs > of.durationUs())
        return {};
    QString text;
    if (const auto stage = of.stageAt(timeUs))
        text = QStringLiteral("<b>%1</b> ").arg(stageTitle(*stage));
    text += QStringLiteral("at %1").arg(latencyText(timeUs));
    for (const auto &counter : rows.counters()) {
        for (std::size_t i = 0; counter->rect()->rect().contains(at.toPoint()) && i < rows.lanes().size(); ++i)
            text += counterTip(rows, i, *counter, sharedUs);
    }
    return text;
}

} // namespace stagecraft
