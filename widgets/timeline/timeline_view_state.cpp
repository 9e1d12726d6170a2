#include "widgets/timeline/timeline_view_state.h"

#include "graph/cost_basis.h"
#include "timing/timeline/timeline_rows.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/find_bar.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/timeline/range_facts.h"
#include "widgets/timeline/timeline_text.h"

#include <QScrollBar>
#include <QSignalBlocker>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kWidestFirst = 140; // pixels

// True if some operators have no cost.
bool leavesOutWork(const TimelineLane &lane)
{
    return lane.isMade() && lane.what().graph && lane.timeline().provenance == Provenance::Simulated &&
           !costBasis(*lane.what().graph).isComplete();
}

} // namespace

void TimelineView::Private::applyTheme()
{
    theme = themeFor(q->palette());
    rows->applyTheme(theme);
    showSummary();
    showRange();
}

// A counter may exist twice, sampled and modelled; then each title says which. Keeps what was chosen.
void TimelineView::Private::offerCounters()
{
    const auto made = std::ranges::find_if(rows->lanes(), [](const auto &lane) { return lane->isMade(); });
    if (made == rows->lanes().end())
        return;
    const std::vector<CounterSeries> &offered = (*made)->timeline().counters;
    std::vector<CounterChoice> wanted;
    for (const auto &counter : rows->counters())
        wanted.push_back(counter->choice());
    if (wanted.empty())
        wanted.push_back({QString(), QStringLiteral("active warps")});
    counterMenu->clear();
    for (const CounterSeries &series : offered) {
        const QString name = QString::fromStdString(series.name);
        const bool twice = std::ranges::count(offered, series.name, &CounterSeries::name) > 1;
        QAction *action = counterMenu->addAction(twice ? CounterPlot::titleOf(series) : name);
        action->setCheckable(true);
        action->setData(name);
    }
    const QList<QAction *> entries = counterMenu->actions();
    for (const CounterChoice &choice : wanted) {
        auto entry = std::ranges::find(entries, choice.title, &QAction::text);
        if (entry == entries.end())
            entry =
                std::ranges::find(entries, choice.name, [](const QAction *each) { return each->data().toString(); });
        if (entry != entries.end())
            (*entry)->setChecked(true);
    }
    if (!entries.isEmpty() && std::ranges::none_of(entries, &QAction::isChecked))
        entries.front()->setChecked(true);
    counters->setVisible(counterMenu->actions().size() > 1);
    chooseCounters();
}

void TimelineView::Private::chooseCounters()
{
    std::vector<CounterChoice> chosen;
    for (const QAction *action : counterMenu->actions()) {
        if (action->isChecked())
            chosen.push_back({action->text(), action->data().toString()});
    }
    rows->setCounters(chosen);
    showSummary();
    showRange();
}

void TimelineView::Private::showNotes() const
{
    QStringList lines;
    for (const auto &lane : rows->lanes()) {
        for (std::size_t i = 0; lane->isMade() && i < lane->timeline().notes.size(); ++i)
            lines << QString::fromStdString(lane->timeline().notes[i]);
    }
    lines.removeDuplicates();
    notes->setText(lines.join(QLatin1Char('\n')));
    notes->setVisible(!lines.isEmpty());
}

// Of the first counter over the whole time.
std::optional<Fact> TimelineView::Private::meanFact(const TimelineLane &lane) const
{
    const CounterSeries *series =
        rows->counters().empty() ? nullptr : CounterPlot::find(lane, rows->counters().front()->choice());
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

void TimelineView::Private::showSummary() const
{
    if (!rows->isAnyMade()) {
        summary->setMessage({});
        return;
    }
    std::vector<Fact> facts;
    for (std::size_t i = 0; i < rows->lanes().size(); ++i) {
        const auto &lane = rows->lanes()[i];
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
                         rows->isAlone() ? provenanceText(timeline.provenance) : QString(),
                         rows->isAlone() ? std::optional(timeline.provenance) : std::nullopt});
        auto fact = meanFact(*lane);
        if (fact && rows->isAlone()) {
            facts.push_back(std::move(*fact));
        } else if (fact) { // short form, so that all fit
            const CounterSeries &series = *CounterPlot::find(*lane, rows->counters().front()->choice());
            const double average = mean(series, timeline.durationNs);
            facts.back().after = QStringLiteral("mean %1").arg(
                series.maximum > 0 ? percentText(average / series.maximum) : counterText(series, average));
            facts.back().line = i;
            facts.back().isAfterExtra = true; // it is on the axis, too
        }
    }
    if (rows->isAlone()) {
        const Timeline &timeline = rows->lanes().front()->timeline();
        facts.push_back({hasThreadRows(timeline) ? QStringLiteral("operators") : QStringLiteral("kernels"),
                         countText(static_cast<std::int64_t>(runCount(timeline)))});
        facts.push_back({QStringLiteral("device"), QString::fromStdString(timeline.device)});
    }
    summary->setFacts(std::move(facts));
    summary->setMinimumWidth(std::min(kWidestFirst, summary->widthOfFirst())); // the provenance is not cut
}

QString TimelineView::Private::counterTip(std::size_t lane, const CounterPlot &counter, double sharedUs) const
{
    const TimelineLane &of = *rows->lanes()[lane];
    const CounterSeries *series = counter.line(lane).series();
    const double timeUs = sharedUs + of.shiftUs;
    if (!series || timeUs < 0 || timeUs > of.durationUs())
        return {};
    const double value = valueAt(*series, nanoseconds(timeUs));
    const double pixelUs = counter.time()->pixelToCoord(1) - counter.time()->pixelToCoord(0);
    const double peak = counter.line(lane).between(timeUs * 1e3, (timeUs + pixelUs) * 1e3).peak;
    const QString letter = rows->isAlone() ? QString() : of.what().letter + QLatin1Char(' ');
    QString text = QStringLiteral("<br>%1%2: %3 <i>%4</i>")
                       .arg(letter, QString::fromStdString(series->name), meanText(*series, value),
                            QString::fromStdString(series->kind));
    if (peak > value)
        text += QStringLiteral("<br>peak here: %1").arg(counterText(*series, peak));
    return text;
}

QString TimelineView::Private::tip(QPointF at) const
{
    const TimelineLane *lane = rows->laneAt(at);
    const double sharedUs = rows->timeAt(at.x());
    if (lane && lane->isMade()) {
        if (const KernelSpan *kernel = lane->kernels().kernelAt(at))
            return kernelTip(*kernel, lane->timeline(), lane->what().graph.get());
        const auto row = lane->kernels().rowAt(at.y());
        if (const auto gap = row ? lane->index()->gapAt(*row, nanoseconds(sharedUs + lane->shiftUs)) : std::nullopt)
            return gapTip(*gap, *row, *lane->index(), lane->what().graph.get());
    }
    const TimelineLane &of = lane ? *lane : rows->first();
    const double timeUs = sharedUs + of.shiftUs;
    if (timeUs < 0 || timeUs > of.durationUs())
        return {};
    QString text;
    if (const auto stage = of.stageAt(timeUs))
        text = QStringLiteral("<b>%1</b> ").arg(stageTitle(*stage));
    text += QStringLiteral("at %1").arg(latencyText(timeUs));
    for (const auto &counter : rows->counters()) {
        for (std::size_t i = 0; counter->rect()->rect().contains(at.toPoint()) && i < rows->lanes().size(); ++i)
            text += counterTip(i, *counter, sharedUs);
    }
    return text;
}

void TimelineView::Private::selectionChanged(TimelineLane &lane, const Selected &selected)
{
    rows->select(lane, selected);
    if (isAligned)
        rows->shift(true);
    const auto range = lane.rangeOf(selected);
    if (!range)
        return;
    rows->reveal(lane, *range);
    const auto &kernels = lane.timeline().kernels;
    const auto shown = std::ranges::find_if(kernels, [&](const KernelSpan &kernel) {
        return selected.op ? std::ranges::find(kernel.operators, *selected.op) != kernel.operators.end()
                           : selected.stage == kernel.stage;
    });
    if (shown != kernels.end())
        scrollTo(lane, *shown);
}

// Only where it is out of sight.
void TimelineView::Private::scrollTo(const TimelineLane &lane, const KernelSpan &kernel)
{
    const QRectF place = lane.kernels().rectOf(kernel);
    const QScrollBar *bar = scroll->verticalScrollBar();
    if (place.top() < bar->value() || place.bottom() > bar->value() + scroll->viewport()->height())
        scroll->ensureVisible(0, static_cast<int>(place.center().y()), 0, static_cast<int>(place.height()) + 20);
}

void TimelineView::Private::scrollBy(double pixels)
{
    QScrollBar *bar = scroll->verticalScrollBar();
    bar->setValue(bar->value() + static_cast<int>(pixels));
}

void TimelineView::Private::setOver(const std::function<void(OverTime &)> &change)
{
    OverTime over = rows->over();
    change(over);
    rows->setOver(std::move(over));
}

void TimelineView::Private::selectRange(std::optional<QCPRange> range)
{
    const QCPRange whole = rows->whole();
    if (range)
        range = range->bounded(whole.lower, whole.upper);
    if (range && range->size() <= 0)
        range.reset();
    setOver([&](OverTime &over) { over.range = range; });
    showRange();
}

void TimelineView::Private::showRange()
{
    const auto &range = rows->over().range;
    if (range && rows->isAnyMade())
        rangeFacts->show(*rows, *range);
    else
        rangeFacts->clear();
}

void TimelineView::Private::search(const QString &text)
{
    findBar->setText(text);
    found.search(*rows, text, rows->shown().lower);
    isFoundSelected = false;
    showFound();
}

void TimelineView::Private::stepFound(int by)
{
    if (std::exchange(isFoundSelected, true) || by < 0)
        found.step(by);
    if (found.current() < 0)
        return;
    revealFound();
    showFound();
    const TimelineFind::Match match = found.matches()[static_cast<std::size_t>(found.current())];
    TimelineLane &lane = *rows->lanes()[match.lane];
    const KernelSpan &kernel = lane.timeline().kernels[match.kernel];
    activeLane = match.lane;
    if (lane.what().selection)
        lane.what().selection->set(
            {kernel.operators.empty() ? std::nullopt : std::optional(kernel.operators.front()), kernel.stage});
}

void TimelineView::Private::revealFound()
{
    if (found.current() < 0)
        return;
    const TimelineFind::Match match = found.matches()[static_cast<std::size_t>(found.current())];
    const TimelineLane &lane = *rows->lanes()[match.lane];
    const KernelSpan &kernel = lane.timeline().kernels[match.kernel];
    rows->reveal(lane, {microseconds(kernel.startNs), microseconds(kernel.endNs)});
    scrollTo(lane, kernel);
}

// All of them are marked, the current one more than the others.
void TimelineView::Private::showFound()
{
    setOver([&](OverTime &over) {
        over.current.reset();
        if (found.current() >= 0)
            over.current = TimelineFind::startUs(*rows, found.matches()[static_cast<std::size_t>(found.current())]);
        over.found.clear();
        for (const TimelineFind::Match &match : found.matches())
            over.found.push_back(TimelineFind::startUs(*rows, match));
    });
    findBar->showMatches(found.current(), static_cast<int>(found.matches().size()));
}

} // namespace stagecraft
