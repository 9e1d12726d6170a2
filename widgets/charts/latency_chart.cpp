#include "widgets/charts/latency_chart.h"

#include "widgets/charts/plot_style.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/selection.h"
#include "widgets/theme.h"

#include <qcustomplot.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kBarWidth = 0.82; // share of the distance between stages

// One bar per stage in the stage's colour; the selected bar is outlined.
class StageBars : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::shared_ptr<const Schedule> schedule;
    Selected selected;

    [[nodiscard]] bool isSelected(std::size_t stage) const
    {
        return selected.stage == stage || selected.block == schedule->stages[stage].block;
    }

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = schedule && !schedule->stageTimings.empty();
        return found ? QCPRange(0.5, static_cast<double>(schedule->stageTimings.size()) + 0.5) : QCPRange();
    }

    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = schedule && !schedule->stageTimings.empty();
        return found ? QCPRange(0, std::ranges::max(schedule->stageLatenciesUs())) : QCPRange();
    }

    [[nodiscard]] QRectF barRect(std::size_t stage) const
    {
        const double centre = static_cast<double>(stage) + 1;
        const double left = keyAxis()->coordToPixel(centre - kBarWidth / 2);
        const double right = keyAxis()->coordToPixel(centre + kBarWidth / 2);
        const double top = valueAxis()->coordToPixel(schedule->stageTimings[stage].latencyUs);
        const double bottom = valueAxis()->coordToPixel(0);
        return {left, top, std::max(1.0, right - left), std::max(1.0, bottom - top)};
    }

protected:
    void draw(QCPPainter *painter) override
    {
        if (!schedule)
            return;
        painter->setAntialiasing(false);
        for (std::size_t stage = 0; stage < schedule->stageTimings.size(); ++stage) {
            const double key = static_cast<double>(stage) + 1;
            if (key < keyAxis()->range().lower - 1 || key > keyAxis()->range().upper + 1)
                continue;
            const QRectF bar = barRect(stage);
            painter->fillRect(bar, theme.stageFill(stage));
            const bool merge = stage < schedule->stages.size() && schedule->stages[stage].strategy == Strategy::Merge;
            if (merge)
                painter->fillRect(QRectF(bar.left(), bar.top(), bar.width(), std::min(3.0, bar.height())),
                                  theme.mergeMark);
            if (stage < schedule->stages.size() && isSelected(stage)) {
                painter->setPen(QPen(theme.accent, 2));
                painter->setBrush(Qt::NoBrush);
                painter->drawRect(bar.adjusted(0, 1, 0, 0));
            }
        }
    }

    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
};

} // namespace

class LatencyChart::Private {
public:
    Private(LatencyChart *chart, Selection *shared) : q(chart), selection(shared) {}

    LatencyChart *q;
    Selection *selection;
    FactStrip *summary = nullptr;
    QWidget *page = nullptr; // summary and plot
    QCustomPlot *plot = nullptr;
    StageBars *bars = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    QPoint pressedAt;
    double stages = 0;

    [[nodiscard]] std::optional<std::size_t> stageAt(QPoint point) const
    {
        if (!bars->schedule || !plot->axisRect()->rect().contains(point))
            return std::nullopt;
        const double key = std::round(plot->xAxis->pixelToCoord(point.x())) - 1;
        if (key < 0 || key >= stages)
            return std::nullopt;
        return static_cast<std::size_t>(key);
    }

    void applyTheme()
    {
        bars->theme = themeFor(q->palette());
        stylePlot(*plot, bars->theme);
        plot->xAxis->grid()->setVisible(false);
        showSummary();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    // The sum of the bars and its provenance.
    void showSummary() const
    {
        if (!bars->schedule)
            return;
        Fact sum{QStringLiteral("sum"), latencyText(bars->schedule->sumOfStagesUs(), bars->schedule->leavesOutWork())};
        if (const auto provenance = bars->schedule->provenance) {
            sum.after = provenanceText(*provenance);
            sum.afterColour = bars->theme.provenance(*provenance);
        }
        summary->setFacts({std::move(sum)});
    }

    void hover(QPoint point, QPoint global)
    {
        const auto stage = stageAt(point);
        if (!stage) {
            QToolTip::hideText();
            return;
        }
        const Schedule &schedule = *bars->schedule;
        QString text = QStringLiteral("<b>%1</b> %2")
                           .arg(stageTitle(*stage), latencyText(schedule.stageTimings[*stage].latencyUs));
        if (schedule.provenance)
            text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*schedule.provenance));
        if (schedule.timing)
            text += QStringLiteral("<br>%1 of the schedule")
                        .arg(percentText(schedule.stageTimings[*stage].latencyUs / schedule.timing->latencyUs));
        text += QStringLiteral("<br>%1, %2")
                    .arg(plural(static_cast<std::int64_t>(schedule.stages[*stage].operatorCount()), "operator"),
                         blockTitle(schedule.stages[*stage].block).toLower());
        QToolTip::showText(global, QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), plot);
    }
};

LatencyChart::LatencyChart(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    Private &d = *m_private;
    d.page = new QWidget(this);
    d.summary = new FactStrip(d.page);
    d.plot = new QCustomPlot(d.page);
    auto *column = new QVBoxLayout(d.page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 0);
    head->addWidget(d.summary);
    column->addLayout(head);
    column->addWidget(d.plot, 1);
    d.bars = new StageBars(d.plot->xAxis, d.plot->yAxis);
    d.plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    d.plot->axisRect()->setRangeDrag(Qt::Horizontal);
    d.plot->axisRect()->setRangeZoom(Qt::Horizontal);
    d.plot->axisRect()->setMinimumMargins(QMargins(8, 8, 8, 4));
    d.plot->xAxis->setLabel(QStringLiteral("stage"));
    d.plot->yAxis->setLabel(QStringLiteral("latency (µs)"));
    // Stages are whole numbers: ticks are multiples of one, as many as fit.
    const QSharedPointer<QCPAxisTickerFixed> wholeNumbers(new QCPAxisTickerFixed);
    wholeNumbers->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    d.plot->xAxis->setTicker(wholeNumbers);
    d.hint = new QLabel(QStringLiteral("The latency of each stage appears here."), this);
    d.hint->setAlignment(Qt::AlignCenter);
    d.hint->setWordWrap(true);
    d.hint->setObjectName(QStringLiteral("hint"));
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    setAccessibleName(QStringLiteral("Stage latencies"));
    setMinimumSize(160, 110);

    connect(d.plot->xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this, [this](const QCPRange &range) {
        Private &p = *m_private;
        const QCPRange kept = keptWithin(range, 0.4, p.stages + 0.6, std::min(4.0, p.stages));
        if (kept != range)
            p.plot->xAxis->setRange(kept);
    });
    connect(d.plot, &QCustomPlot::mousePress, this,
            [this](QMouseEvent *event) { m_private->pressedAt = event->position().toPoint(); });
    connect(d.plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) {
        Private &p = *m_private;
        const QPoint here = event->position().toPoint();
        if (event->button() != Qt::LeftButton || (here - p.pressedAt).manhattanLength() > 3)
            return;
        if (const auto stage = p.stageAt(here))
            p.selection->set({std::nullopt, stage});
        else
            p.selection->clear();
    });
    connect(d.plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        if (event->buttons() == Qt::NoButton)
            m_private->hover(event->position().toPoint(), event->globalPosition().toPoint());
    });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) {
        m_private->bars->selected = selected;
        m_private->plot->replot(QCustomPlot::rpQueuedReplot);
    });
}

LatencyChart::~LatencyChart() = default;

void LatencyChart::setSchedule(std::shared_ptr<const Schedule> schedule)
{
    Private &d = *m_private;
    const bool measured = schedule && !schedule->stageTimings.empty();
    d.bars->schedule = measured ? std::move(schedule) : nullptr;
    d.bars->selected = d.selection->current();
    d.stack->setCurrentWidget(measured ? d.page : static_cast<QWidget *>(d.hint));
    if (!measured)
        return;
    d.stages = static_cast<double>(d.bars->schedule->stageTimings.size());
    d.showSummary();
    bool found = false;
    const QCPRange values = d.bars->getValueRange(found, QCP::sdBoth, QCPRange());
    d.plot->yAxis->setRange(0, values.upper * 1.06);
    d.plot->xAxis->setRange(0.4, d.stages + 0.6);
    d.plot->replot(QCustomPlot::rpQueuedReplot);
}

void LatencyChart::setHint(const QString &hint)
{
    m_private->hint->setText(hint);
}

QString LatencyChart::plainSummary() const
{
    return m_private->summary->plainText();
}

QPoint LatencyChart::barCentre(std::size_t stage) const
{
    const Private &d = *m_private;
    if (!d.bars->schedule || stage >= d.bars->schedule->stageTimings.size())
        return {};
    return d.plot->mapTo(this, d.bars->barRect(stage).center().toPoint());
}

QSize LatencyChart::sizeHint() const
{
    return {320, 230};
}

void LatencyChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->plot)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
