// Past 500 lines: one plot whose axes, rows and selection follow each other; text and rows are beside it.

#include "widgets/timeline/timeline_view.h"

#include "graph/cost_basis.h"
#include "graph/operator_table.h"
#include "timeline/timeline_rows.h"
#include "widgets/charts/plot_style.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/selection.h"
#include "widgets/theme.h"
#include "widgets/timeline/counter_steps.h"
#include "widgets/timeline/kernel_rows.h"
#include "widgets/timeline/timeline_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kSmallestSpanUs = 0.5; // zooming in ends here
constexpr int kLevels = 300;            // parts of the visible time whose mean the counter's axis must hold
constexpr double kStageNumbers = 14;    // pixels above the first stream

} // namespace

class TimelineView::Private {
public:
    Private(TimelineView *view, Selection *shared) : q(view), selection(shared) {}

    TimelineView *q;
    Selection *selection;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Timeline> timeline;
    bool leavesOutWork = false; // operators without a cost
    FactStrip *summary = nullptr;
    QComboBox *counters = nullptr;
    QLabel *notes = nullptr;
    QToolButton *all = nullptr;
    QWidget *page = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    QCustomPlot *plot = nullptr;
    QCPAxisRect *upper = nullptr;
    QCPAxisRect *lower = nullptr;
    StageBands *upperBands = nullptr;
    StageBands *lowerBands = nullptr;
    KernelRows *kernels = nullptr;
    CounterSteps *line = nullptr;
    QCPItemStraightLine *meanLine = nullptr;
    QSharedPointer<QCPAxisTickerText> streamTicks{new QCPAxisTickerText};
    std::pair<double, int> streamNumbers{0, 1}; // how many streams there are, and every how many has its number
    QPoint pressedAt;
    Theme theme;

    [[nodiscard]] double durationUs() const { return timeline ? microseconds(timeline->durationNs) : 1; }
    [[nodiscard]] QCPAxis *time() const { return upper->axis(QCPAxis::atBottom); }

    void build()
    {
        plot = new QCustomPlot(q);
        plot->plotLayout()->clear();
        upper = new QCPAxisRect(plot);
        lower = new QCPAxisRect(plot);
        plot->plotLayout()->addElement(0, 0, upper);
        plot->plotLayout()->addElement(1, 0, lower);
        plot->plotLayout()->setRowSpacing(0);
        auto *margins = new QCPMarginGroup(plot);
        for (QCPAxisRect *rect : {upper, lower}) {
            rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
            rect->setRangeDrag(Qt::Horizontal);
            rect->setRangeZoom(Qt::Horizontal);
            rect->setRangeZoomAxes(rect->axis(QCPAxis::atBottom), nullptr);
            for (QCPAxis *axis : rect->axes())
                axis->setLayer(QStringLiteral("axes"));
        }
        upper->setMinimumMargins(QMargins(8, 4, 8, 2));
        lower->setMinimumMargins(QMargins(8, 4, 8, 4));
        plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
        upper->axis(QCPAxis::atBottom)->setTickLabels(false);
        upper->axis(QCPAxis::atBottom)->setTicks(false);
        upper->axis(QCPAxis::atLeft)->setTicker(streamTicks);
        upper->axis(QCPAxis::atLeft)->setRangeReversed(true);
        upper->axis(QCPAxis::atLeft)->grid()->setVisible(false);
        lower->axis(QCPAxis::atBottom)->setLabel(QStringLiteral("time (µs)"));
        for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atRight}) {
            lower->axis(side)->ticker()->setTickCount(3);
            lower->axis(side)->ticker()->setTickStepStrategy(QCPAxisTicker::tssMeetTickCount);
        }
        lower->axis(QCPAxis::atRight)->setVisible(true);
        lower->axis(QCPAxis::atRight)->setLabel(QStringLiteral("% of max"));

        upperBands = new StageBands(time(), upper->axis(QCPAxis::atLeft));
        upperBands->numbered = true;
        lowerBands = new StageBands(lower->axis(QCPAxis::atBottom), lower->axis(QCPAxis::atLeft));
        kernels = new KernelRows(time(), upper->axis(QCPAxis::atLeft));
        line = new CounterSteps(lower->axis(QCPAxis::atBottom), lower->axis(QCPAxis::atLeft));
        meanLine = new QCPItemStraightLine(plot);
        for (QCPItemPosition *position : {meanLine->point1, meanLine->point2}) {
            position->setType(QCPItemPosition::ptPlotCoords);
            position->setAxisRect(lower);
            position->setAxes(lower->axis(QCPAxis::atBottom), lower->axis(QCPAxis::atLeft));
        }
        meanLine->setClipAxisRect(lower);
        meanLine->setClipToAxisRect(true);
    }

    void applyTheme()
    {
        theme = themeFor(q->palette());
        stylePlot(*plot, theme);
        upperBands->theme = lowerBands->theme = theme;
        kernels->theme = theme;
        line->theme = theme;
        meanLine->setPen(QPen(theme.mutedText, 1, Qt::DashLine));
        showSummary();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    void setRange(const QCPRange &wanted)
    {
        const QCPRange kept = keptWithin(wanted, 0, durationUs(), kSmallestSpanUs);
        time()->setRange(kept);
        lower->axis(QCPAxis::atBottom)->setRange(kept);
        fitCounter();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    void showStreams()
    {
        const auto streams = static_cast<double>(std::max<std::size_t>(1, timeline->streams));
        upper->axis(QCPAxis::atLeft)
            ->setLabel(hasThreadRows(*timeline) ? QStringLiteral("thread") : QStringLiteral("stream"));
        plot->plotLayout()->setRowStretchFactor(0, std::clamp(0.5 + 0.13 * streams, 0.6, 1.6));
    }

    // Room for the stage numbers above the first stream, whatever the height.
    void fitRows()
    {
        const double streams = timeline ? static_cast<double>(std::max<std::size_t>(1, timeline->streams)) : 1;
        const double height = std::max(kStageNumbers + 8.0, static_cast<double>(upper->height()));
        const double rows = streams * height / (height - kStageNumbers);
        QCPAxis *axis = upper->axis(QCPAxis::atLeft);
        axis->setRange(streams - 0.5 - rows, streams - 0.5);
        // As many stream numbers as fit.
        const double row = (height - kStageNumbers) / streams;
        const int step =
            std::max(1, static_cast<int>(std::ceil(QFontMetrics(axis->tickLabelFont()).height() * 0.8 / row)));
        // The layout has measured its axes with the old numbers: what changes them is drawn once more.
        const std::pair<double, int> numbers{streams, step};
        if (numbers != streamNumbers)
            plot->replot(QCustomPlot::rpQueuedReplot);
        streamNumbers = numbers;
        streamTicks->clear();
        for (int stream = 0; stream < static_cast<int>(streams); stream += step)
            streamTicks->addTick(stream, QString::number(stream + 1));
    }

    [[nodiscard]] const CounterSeries *counter() const
    {
        const int index = counters->currentIndex();
        if (!timeline || index < 0 || static_cast<std::size_t>(index) >= timeline->counters.size())
            return nullptr;
        return &timeline->counters[static_cast<std::size_t>(index)];
    }

    // The counter's axis fits the levels that are seen; brief peaks above it are cut off, their value is in the tip.
    void fitCounter()
    {
        const CounterSeries *series = counter();
        if (!series)
            return;
        const QCPRange shown = time()->range();
        const double step = shown.size() / kLevels;
        double highest = 0;
        for (int i = 0; i < kLevels && step > 0; ++i) {
            const double fromNs = (shown.lower + i * step) * 1e3;
            highest = std::max(highest, line->between(fromNs, fromNs + step * 1e3).mean);
        }
        const double top = series->maximum > 0 ? std::min(series->maximum, highest * 1.2) : highest * 1.2;
        lower->axis(QCPAxis::atLeft)->setRange(0, std::max(top, 1e-9));
        lower->axis(QCPAxis::atRight)->setRange(0, series->maximum > 0 ? 100 * top / series->maximum : 100);
    }

    void showCounter()
    {
        const CounterSeries *series = counter();
        lower->setVisible(series != nullptr);
        if (!series) {
            line->setSeries(nullptr, 0);
            return;
        }
        line->setSeries(series, timeline->durationNs);
        QCPAxis *left = lower->axis(QCPAxis::atLeft);
        QCPAxis *right = lower->axis(QCPAxis::atRight);
        left->setLabel(
            QString::fromStdString(series->name == series->unit || series->unit == "warps" || series->unit == "threads"
                                       ? series->name
                                       : series->name + " (" + series->unit + ")"));
        right->setVisible(series->maximum > 0 && series->unit != "%");
        fitCounter();
        const double average = mean(*series, timeline->durationNs);
        meanLine->point1->setCoords(0, average);
        meanLine->point2->setCoords(durationUs(), average);
        showSummary();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    // One counter may be there twice, sampled and modelled: then each says which it is. The choice of before stays.
    void offerCounters()
    {
        const QString wanted = counters->currentText();
        const QString wantedName =
            counters->currentIndex() < 0 ? QStringLiteral("active warps") : counters->currentData().toString();
        const QSignalBlocker blocker(counters);
        counters->clear();
        for (const CounterSeries &series : timeline->counters) {
            const QString name = QString::fromStdString(series.name);
            const bool twice = std::ranges::count(timeline->counters, series.name, &CounterSeries::name) > 1;
            counters->addItem(twice ? QStringLiteral("%1 (%2)").arg(name, QString::fromStdString(series.kind)) : name,
                              name);
        }
        const int same = counters->findText(wanted);
        counters->setCurrentIndex(std::max(0, same >= 0 ? same : counters->findData(wantedName)));
        counters->setVisible(counters->count() > 1);
    }

    void showNotes()
    {
        QStringList lines;
        for (const std::string &note : timeline->notes)
            lines << QString::fromStdString(note);
        notes->setText(lines.join(QLatin1Char('\n')));
        notes->setVisible(!lines.isEmpty());
    }

    void showSummary()
    {
        if (!timeline) {
            summary->setMessage({});
            return;
        }
        std::vector<Fact> facts;
        // One run that was traced: not the latency of the schedule.
        const bool isOneRun = timeline->provenance == Provenance::Measured;
        facts.push_back({isOneRun ? QStringLiteral("this run") : QString(),
                         latencyText(durationUs(), leavesOutWork),
                         {},
                         provenanceText(timeline->provenance),
                         theme.provenance(timeline->provenance)});
        if (const CounterSeries *series = counter()) {
            const double average = mean(*series, timeline->durationNs);
            Fact fact{QStringLiteral("mean"), counterText(*series, average)};
            if (series->maximum > 0 && series->unit != "%")
                fact.after = QStringLiteral("= %1").arg(percentText(average / series->maximum));
            if (series->kind != toString(timeline->provenance))
                fact.after += QStringLiteral(" (%1)").arg(QString::fromStdString(series->kind));
            facts.push_back(std::move(fact));
        }
        facts.push_back({hasThreadRows(*timeline) ? QStringLiteral("operators") : QStringLiteral("kernels"),
                         countText(static_cast<std::int64_t>(runCount(*timeline)))});
        facts.push_back({QStringLiteral("device"), QString::fromStdString(timeline->device)});
        summary->setFacts(std::move(facts));
    }

    [[nodiscard]] std::optional<std::size_t> stageAt(double timeUs) const
    {
        for (const StageSpan &span : timeline->stages) {
            if (timeUs >= microseconds(span.startNs) && timeUs < microseconds(span.endNs))
                return span.stage;
        }
        return std::nullopt;
    }

    void click(QPointF at)
    {
        if (!timeline)
            return;
        if (const KernelSpan *kernel = kernels->kernelAt(at)) {
            selection->set(
                {kernel->operators.empty() ? std::nullopt : std::optional(kernel->operators.front()), kernel->stage});
        } else if (upper->rect().contains(at.toPoint()) || lower->rect().contains(at.toPoint())) {
            selection->set({std::nullopt, stageAt(time()->pixelToCoord(at.x()))});
        }
    }

    [[nodiscard]] QString tip(QPointF at) const
    {
        if (const KernelSpan *kernel = kernels->kernelAt(at))
            return kernelTip(*kernel, *timeline, graph.get());
        const double timeUs = time()->pixelToCoord(at.x());
        if (timeUs < 0 || timeUs > durationUs())
            return {};
        QString text;
        if (const auto stage = stageAt(timeUs))
            text = QStringLiteral("<b>%1</b> ").arg(stageTitle(*stage));
        text += QStringLiteral("at %1").arg(latencyText(timeUs));
        const CounterSeries *series = counter();
        if (series && lower->rect().contains(at.toPoint())) {
            const double value = valueAt(*series, static_cast<std::int64_t>(timeUs * 1e3));
            const double pixelUs = time()->pixelToCoord(at.x() + 1) - timeUs;
            const double peak = line->between(timeUs * 1e3, (timeUs + pixelUs) * 1e3).peak;
            text += QStringLiteral("<br>%1: %2").arg(QString::fromStdString(series->name), counterText(*series, value));
            if (series->maximum > 0 && series->unit != "%")
                text += QStringLiteral(" (%1)").arg(percentText(value / series->maximum));
            text += QStringLiteral(" <i>%1</i>").arg(QString::fromStdString(series->kind));
            if (peak > value)
                text += QStringLiteral("<br>peak here: %1").arg(counterText(*series, peak));
        }
        return text;
    }

    void selectionChanged(const Selected &selected)
    {
        kernels->selected = selected;
        upperBands->selected = lowerBands->selected = selected.stage;
        if (timeline && (selected.op || selected.stage))
            reveal(selected);
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    // Moves, never zooms: the person chose the scale.
    void reveal(const Selected &selected)
    {
        std::int64_t from = timeline->durationNs;
        std::int64_t to = 0;
        for (const KernelSpan &kernel : timeline->kernels) {
            const bool wanted = selected.op ? std::find(kernel.operators.begin(), kernel.operators.end(),
                                                        *selected.op) != kernel.operators.end()
                                            : kernel.stage == *selected.stage;
            if (wanted) {
                from = std::min(from, kernel.startNs);
                to = std::max(to, kernel.endNs);
            }
        }
        const QCPRange shown = time()->range();
        if (to <= from || (microseconds(to) > shown.lower && microseconds(from) < shown.upper))
            return;
        const double centre = (microseconds(from) + microseconds(to)) / 2;
        setRange({centre - shown.size() / 2, centre + shown.size() / 2});
    }
};

TimelineView::TimelineView(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    Private &d = *m_private;
    d.build();
    d.summary = new FactStrip(this);
    d.summary->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    d.counters = new QComboBox(this);
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
    d.hint = new QLabel(QStringLiteral("When kernels run, and how busy the device is, appears here."), this);
    d.hint->setAlignment(Qt::AlignCenter);
    d.hint->setWordWrap(true);
    d.hint->setObjectName(QStringLiteral("hint"));

    d.page = new QWidget(this);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 0);
    head->addWidget(d.summary, 1);
    head->addWidget(d.counters);
    head->addWidget(d.all);
    auto *column = new QVBoxLayout(d.page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(d.notes);
    column->addWidget(d.plot, 1);
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    setAccessibleName(QStringLiteral("Timeline"));
    setMinimumSize(220, 130);

    for (QCPAxisRect *rect : {d.upper, d.lower}) {
        connect(rect->axis(QCPAxis::atBottom), qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this,
                [this](const QCPRange &range) { m_private->setRange(range); });
    }
    connect(d.plot, &QCustomPlot::afterLayout, this, [this] { m_private->fitRows(); });
    connect(d.counters, &QComboBox::currentIndexChanged, this, [this] { m_private->showCounter(); });
    connect(d.all, &QToolButton::clicked, this, &TimelineView::showAll);
    connect(d.plot, &QCustomPlot::mousePress, this,
            [this](QMouseEvent *event) { m_private->pressedAt = event->position().toPoint(); });
    connect(d.plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) {
        if (event->button() == Qt::LeftButton &&
            (event->position().toPoint() - m_private->pressedAt).manhattanLength() <= 3)
            m_private->click(event->position());
    });
    connect(d.plot, &QCustomPlot::mouseDoubleClick, this, [this] { showAll(); });
    connect(d.plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        if (event->buttons() != Qt::NoButton || !m_private->timeline)
            return;
        const QString text = m_private->tip(event->position());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(event->globalPosition().toPoint(),
                               QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), m_private->plot);
    });
    connect(selection, &Selection::changed, this,
            [this](const Selected &selected) { m_private->selectionChanged(selected); });
}

TimelineView::~TimelineView() = default;

void TimelineView::setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const Timeline> timeline)
{
    Private &d = *m_private;
    const bool sameTime = d.timeline && timeline && graph == d.graph && d.timeline->durationNs == timeline->durationNs;
    d.line->setSeries(nullptr, 0); // it points into the timeline that goes
    d.graph = std::move(graph);
    d.timeline = std::move(timeline);
    d.leavesOutWork =
        d.timeline && d.graph && d.timeline->provenance == Provenance::Simulated && !costBasis(*d.graph).isComplete();
    d.kernels->timeline = d.upperBands->timeline = d.lowerBands->timeline = d.timeline;
    d.kernels->selected = d.selection->current();
    d.upperBands->selected = d.lowerBands->selected = d.selection->current().stage;
    d.stack->setCurrentWidget(d.timeline ? d.page : static_cast<QWidget *>(d.hint));
    if (!d.timeline)
        return;
    d.offerCounters();
    d.showNotes();
    d.showStreams();
    d.showCounter();
    d.showSummary();
    if (!sameTime)
        showAll();
    d.plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineView::setHint(const QString &hint)
{
    m_private->hint->setText(hint);
}

double TimelineView::visibleFromUs() const
{
    return m_private->time()->range().lower;
}

double TimelineView::visibleToUs() const
{
    return m_private->time()->range().upper;
}

void TimelineView::setVisibleTime(double fromUs, double toUs)
{
    m_private->setRange({fromUs, toUs});
}

QPoint TimelineView::kernelCentre(std::size_t kernel) const
{
    const Private &d = *m_private;
    if (!d.timeline || kernel >= d.timeline->kernels.size())
        return {};
    return d.plot->mapTo(this, d.kernels->rectOf(d.timeline->kernels[kernel]).center().toPoint());
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
    m_private->setRange({0, m_private->durationUs()});
}

void TimelineView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->summary)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
