#include "widgets/timeline/timeline_view.h"

#include "graph/cost_basis.h"
#include "timeline/timeline_rows.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/search/elided_combo_box.h"
#include "widgets/selection.h"
#include "widgets/theme.h"
#include "widgets/timeline/timeline_stack.h"
#include "widgets/timeline/timeline_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kWidestFirst = 140; // pixels
constexpr int kNarrowestCombo = 72;

} // namespace

class TimelineView::Private {
public:
    Private(TimelineView *view, Selection *own) : q(view), selection(own) {}

    TimelineView *q;
    Selection *selection; // of a single timeline; not used if there are several
    FactStrip *summary = nullptr;
    QComboBox *counters = nullptr;
    QLabel *notes = nullptr;
    QToolButton *all = nullptr;
    QToolButton *align = nullptr;
    QWidget *page = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    std::unique_ptr<TimelineStack> rows;
    std::vector<QMetaObject::Connection> selections;
    bool isAligned = false;
    QPoint pressedAt;
    Theme theme;

    // True if some operators have no cost.
    [[nodiscard]] static bool leavesOutWork(const TimelineLane &lane)
    {
        return lane.isMade() && lane.what().graph && lane.what().timeline->provenance == Provenance::Simulated &&
               !costBasis(*lane.what().graph).isComplete();
    }

    void applyTheme()
    {
        theme = themeFor(q->palette());
        rows->applyTheme(theme);
        showSummary();
    }

    void showCounter()
    {
        rows->chooseCounter(counters->currentText(), counters->currentData().toString());
        showSummary();
    }

    // A counter may exist twice, sampled and modelled; then each title says which. Keeps the previous choice.
    void offerCounters()
    {
        const auto made = std::ranges::find_if(rows->lanes(), [](const auto &lane) { return lane->isMade(); });
        if (made == rows->lanes().end())
            return;
        const std::vector<CounterSeries> &offered = (*made)->what().timeline->counters;
        const QString wanted = counters->currentText();
        const QString wantedName =
            counters->currentIndex() < 0 ? QStringLiteral("active warps") : counters->currentData().toString();
        const QSignalBlocker blocker(counters);
        counters->clear();
        for (const CounterSeries &series : offered) {
            const QString name = QString::fromStdString(series.name);
            const bool twice = std::ranges::count(offered, series.name, &CounterSeries::name) > 1;
            counters->addItem(twice ? TimelineStack::counterTitle(series) : name, name);
        }
        const int same = counters->findText(wanted);
        counters->setCurrentIndex(std::max(0, same >= 0 ? same : counters->findData(wantedName)));
        counters->setVisible(counters->count() > 1);
    }

    void showNotes() const
    {
        QStringList lines;
        for (const auto &lane : rows->lanes()) {
            for (std::size_t i = 0; lane->isMade() && i < lane->what().timeline->notes.size(); ++i)
                lines << QString::fromStdString(lane->what().timeline->notes[i]);
        }
        lines.removeDuplicates();
        notes->setText(lines.join(QLatin1Char('\n')));
        notes->setVisible(!lines.isEmpty());
    }

    [[nodiscard]] std::optional<Fact> meanFact(const TimelineLane &lane) const
    {
        const CounterSeries *series = rows->counterOf(lane);
        if (!series)
            return std::nullopt;
        const double average = mean(*series, lane.what().timeline->durationNs);
        Fact fact{QStringLiteral("mean"), counterText(*series, average)};
        if (series->maximum > 0 && series->unit != "%")
            fact.after = QStringLiteral("= %1").arg(percentText(average / series->maximum));
        if (series->kind != toString(lane.what().timeline->provenance))
            fact.after += QStringLiteral(" (%1)").arg(QString::fromStdString(series->kind));
        return fact;
    }

    void showSummary() const
    {
        if (!rows->isAnyMade()) {
            summary->setMessage({});
            return;
        }
        std::vector<Fact> facts;
        for (const auto &lane : rows->lanes()) {
            if (!lane->isMade()) {
                facts.push_back({lane->what().letter, QStringLiteral("being made ...")});
                continue;
            }
            const Timeline &timeline = *lane->what().timeline;
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
                             theme.provenance(timeline.provenance)});
            auto fact = meanFact(*lane);
            if (fact && rows->isAlone()) {
                facts.push_back(std::move(*fact));
            } else if (fact) { // short form, so that all fit
                const CounterSeries &series = *rows->counterOf(*lane);
                const double average = mean(series, timeline.durationNs);
                facts.back().after = QStringLiteral("mean %1").arg(
                    series.maximum > 0 ? percentText(average / series.maximum) : counterText(series, average));
                facts.back().afterColour = lane->colour();
                facts.back().isAfterExtra = true; // it is on the axis, too
            }
        }
        if (rows->isAlone()) {
            const Timeline &timeline = *rows->lanes().front()->what().timeline;
            facts.push_back({hasThreadRows(timeline) ? QStringLiteral("operators") : QStringLiteral("kernels"),
                             countText(static_cast<std::int64_t>(runCount(timeline)))});
            facts.push_back({QStringLiteral("device"), QString::fromStdString(timeline.device)});
        }
        summary->setFacts(std::move(facts));
        summary->setMinimumWidth(std::min(kWidestFirst, summary->widthOfFirst())); // the provenance is not cut
    }

    // A click among the counters selects a stage of the first timeline, whose bands are shown there.
    void click(QPointF at)
    {
        TimelineLane *lane = rows->laneAt(at);
        const bool isBelow = !lane && rows->isAmongCounters(at);
        if (isBelow)
            lane = &rows->first();
        if (!lane || !lane->isMade() || !lane->what().selection)
            return;
        const KernelSpan *kernel = isBelow ? nullptr : lane->kernels().kernelAt(at);
        if (kernel)
            lane->what().selection->set(
                {kernel->operators.empty() ? std::nullopt : std::optional(kernel->operators.front()), kernel->stage});
        else if (isBelow || lane->rect()->rect().contains(at.toPoint()))
            lane->what().selection->set({std::nullopt, lane->stageAt(lane->time()->pixelToCoord(at.x()))});
    }

    [[nodiscard]] QString counterTip(const TimelineLane &lane, double x) const
    {
        const CounterSeries *series = rows->counterOf(lane);
        const double timeUs = lane.counterTime()->pixelToCoord(x);
        if (!series || timeUs < 0 || timeUs > lane.durationUs())
            return {};
        const double value = valueAt(*series, static_cast<std::int64_t>(timeUs * 1e3));
        const double pixelUs = lane.counterTime()->pixelToCoord(x + 1) - timeUs;
        const double peak = lane.line().between(timeUs * 1e3, (timeUs + pixelUs) * 1e3).peak;
        const QString of = rows->isAlone() ? QString() : lane.what().letter + QLatin1Char(' ');
        QString text =
            QStringLiteral("<br>%1%2: %3").arg(of, QString::fromStdString(series->name), counterText(*series, value));
        if (series->maximum > 0 && series->unit != "%")
            text += QStringLiteral(" (%1)").arg(percentText(value / series->maximum));
        text += QStringLiteral(" <i>%1</i>").arg(QString::fromStdString(series->kind));
        if (peak > value)
            text += QStringLiteral("<br>peak here: %1").arg(counterText(*series, peak));
        return text;
    }

    [[nodiscard]] QString tip(QPointF at) const
    {
        const TimelineLane *lane = rows->laneAt(at);
        const bool isBelow = !lane && rows->isAmongCounters(at);
        if (lane && lane->isMade()) {
            if (const KernelSpan *kernel = lane->kernels().kernelAt(at))
                return kernelTip(*kernel, *lane->what().timeline, lane->what().graph.get());
        }
        if (!lane)
            lane = &rows->first();
        const double timeUs = lane->time()->pixelToCoord(at.x());
        if (timeUs < 0 || timeUs > lane->durationUs())
            return {};
        QString text;
        if (const auto stage = lane->stageAt(timeUs))
            text = QStringLiteral("<b>%1</b> ").arg(stageTitle(*stage));
        text += QStringLiteral("at %1").arg(latencyText(timeUs));
        for (std::size_t i = 0; isBelow && i < rows->lanes().size(); ++i)
            text += counterTip(*rows->lanes()[i], at.x());
        return text;
    }

    void selectionChanged(TimelineLane &lane, const Selected &selected)
    {
        lane.select(selected);
        if (isAligned)
            rows->shift(true);
        if (const auto range = lane.rangeOf(selected))
            rows->reveal(lane, *range);
        rows->plot()->replot(QCustomPlot::rpQueuedReplot);
    }
};

TimelineView::TimelineView(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    Private &d = *m_private;
    d.summary = new FactStrip(this);
    d.summary->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    d.counters = new ElidedComboBox(this);
    d.counters->setMinimumWidth(kNarrowestCombo);
    d.counters->setToolTip(QStringLiteral("Counter shown below the kernels"));
    d.counters->setAccessibleName(QStringLiteral("Counter"));
    d.notes = new QLabel(this);
    d.notes->setObjectName(QStringLiteral("notes"));
    d.notes->setTextFormat(Qt::PlainText);
    d.notes->setWordWrap(true);
    d.notes->setContentsMargins(8, 0, 8, 2);
    d.all = new QToolButton(this);
    d.all->setText(QStringLiteral("Show all"));
    d.all->setToolTip(QStringLiteral("Show the whole time (double click)"));
    d.all->setAutoRaise(true);
    d.align = new QToolButton(this);
    d.align->setText(QStringLiteral("Align"));
    d.align->setToolTip(QStringLiteral("Start all timelines at what is selected"));
    d.align->setAccessibleName(QStringLiteral("Align at selection"));
    d.align->setAutoRaise(true);
    d.align->setCheckable(true);
    d.align->hide();
    d.hint = new QLabel(QStringLiteral("When kernels run, and how busy the device is, appears here."), this);
    d.hint->setAlignment(Qt::AlignCenter);
    d.hint->setWordWrap(true);
    d.hint->setObjectName(QStringLiteral("hint"));

    d.page = new QWidget(this);
    d.rows = std::make_unique<TimelineStack>(d.page);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 0);
    head->addWidget(d.summary, 1);
    head->addWidget(d.counters);
    head->addWidget(d.align);
    head->addWidget(d.all);
    auto *column = new QVBoxLayout(d.page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(d.notes);
    column->addWidget(d.rows->plot(), 1);
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    d.rows->shift(false);
    setAccessibleName(QStringLiteral("Timeline"));
    setMinimumSize(220, 130);

    connect(d.rows->plot(), &QCustomPlot::afterLayout, this, [this] { m_private->rows->fitRows(); });
    connect(d.counters, &QComboBox::currentIndexChanged, this, [this] { m_private->showCounter(); });
    connect(d.all, &QToolButton::clicked, this, &TimelineView::showAll);
    connect(d.align, &QToolButton::toggled, this, &TimelineView::setAligned);
    connect(d.rows->plot(), &QCustomPlot::mousePress, this,
            [this](QMouseEvent *event) { m_private->pressedAt = event->position().toPoint(); });
    connect(d.rows->plot(), &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) {
        if (event->button() == Qt::LeftButton &&
            (event->position().toPoint() - m_private->pressedAt).manhattanLength() <= 3)
            m_private->click(event->position());
    });
    connect(d.rows->plot(), &QCustomPlot::mouseDoubleClick, this, [this] { showAll(); });
    connect(d.rows->plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        if (event->buttons() != Qt::NoButton || !m_private->rows->isAnyMade())
            return;
        const QString text = m_private->tip(event->position());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(event->globalPosition().toPoint(),
                               QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), m_private->rows->plot());
    });
}

TimelineView::~TimelineView() = default;

void TimelineView::setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const Timeline> timeline)
{
    setTimelines({{{}, std::move(graph), std::move(timeline), m_private->selection}});
}

void TimelineView::setTimelines(std::vector<TimelineOf> timelines)
{
    Private &d = *m_private;
    const auto isSameTime = [&] {
        return std::ranges::equal(timelines, d.rows->lanes(), [](const TimelineOf &next, const auto &lane) {
            const TimelineOf &now = lane->what();
            return next.timeline && now.timeline && next.graph == now.graph &&
                   next.timeline->durationNs == now.timeline->durationNs;
        });
    };
    const bool sameTime = isSameTime();
    for (const QMetaObject::Connection &connection : std::exchange(d.selections, {}))
        disconnect(connection);
    d.rows->setLaneCount(std::max<std::size_t>(1, timelines.size()));
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        TimelineLane *lane = d.rows->lanes()[i].get();
        lane->set(std::move(timelines[i]));
        if (Selection *selection = lane->what().selection)
            d.selections.push_back(
                connect(selection, &Selection::changed, this,
                        [this, lane](const Selected &selected) { m_private->selectionChanged(*lane, selected); }));
    }
    d.stack->setCurrentWidget(d.rows->isAnyMade() ? d.page : static_cast<QWidget *>(d.hint));
    d.align->setVisible(!d.rows->isAlone());
    if (!d.rows->isAnyMade())
        return;
    d.offerCounters();
    d.showNotes();
    d.rows->shareHeight();
    d.showCounter();
    d.showSummary();
    d.rows->shift(d.isAligned);
    if (!sameTime)
        showAll();
    d.rows->plot()->replot(QCustomPlot::rpQueuedReplot);
}

std::size_t TimelineView::laneCount() const
{
    return m_private->rows->lanes().size();
}

void TimelineView::setAligned(bool aligned)
{
    Private &d = *m_private;
    if (std::exchange(d.isAligned, aligned) == aligned)
        return;
    d.align->setChecked(aligned);
    d.rows->shift(d.isAligned);
    emit alignedChanged(aligned);
}

bool TimelineView::isAligned() const
{
    return m_private->isAligned;
}

double TimelineView::shiftUs(std::size_t lane) const
{
    return m_private->rows->lanes()[lane]->shiftUs;
}

void TimelineView::setHint(const QString &hint)
{
    m_private->hint->setText(hint);
}

double TimelineView::visibleFromUs() const
{
    return m_private->rows->shown().lower;
}

double TimelineView::visibleToUs() const
{
    return m_private->rows->shown().upper;
}

void TimelineView::setVisibleTime(double fromUs, double toUs)
{
    m_private->rows->setRange({fromUs, toUs});
}

QPoint TimelineView::kernelCentre(std::size_t kernel, std::size_t lane) const
{
    const Private &d = *m_private;
    if (lane >= d.rows->lanes().size() || !d.rows->lanes()[lane]->isMade() ||
        kernel >= d.rows->lanes()[lane]->what().timeline->kernels.size())
        return {};
    const KernelRows &kernels = d.rows->lanes()[lane]->kernels();
    return d.rows->plot()->mapTo(this, kernels.rectOf(kernels.timeline->kernels[kernel]).center().toPoint());
}

QString TimelineView::plainSummary() const
{
    return m_private->summary->plainText();
}

QSize TimelineView::sizeHint() const
{
    return {640, 240};
}

void TimelineView::showAll()
{
    m_private->rows->setRange(m_private->rows->whole());
}

void TimelineView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->summary)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
