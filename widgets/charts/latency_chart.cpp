#include "widgets/charts/latency_chart.h"

#include "widgets/base/format.h"
#include "widgets/base/plot_style.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

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
    std::shared_ptr<const TimedSchedule> schedule;
    Selected selected;

    [[nodiscard]] bool isSelected(std::size_t stage) const
    {
        return selected.stage == stage || selected.block == schedule->stages[stage].block;
    }

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = schedule && !schedule->measured.stages.empty();
        return found ? QCPRange(0.5, static_cast<double>(schedule->measured.stages.size()) + 0.5) : QCPRange();
    }

    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = schedule && !schedule->measured.stages.empty();
        return found ? QCPRange(0, std::ranges::max(schedule->stageLatenciesUs())) : QCPRange();
    }

    [[nodiscard]] QRectF barRect(std::size_t stage) const
    {
        const double centre = static_cast<double>(stage) + 1;
        const double left = keyAxis()->coordToPixel(centre - kBarWidth / 2);
        const double right = keyAxis()->coordToPixel(centre + kBarWidth / 2);
        const double top = valueAxis()->coordToPixel(schedule->measured.stages[stage].latencyUs);
        const double bottom = valueAxis()->coordToPixel(0);
        return {left, top, std::max(1.0, right - left), std::max(1.0, bottom - top)};
    }

protected:
    void draw(QCPPainter *painter) override
    {
        if (!schedule)
            return;
        painter->setAntialiasing(false);
        for (std::size_t stage = 0; stage < schedule->measured.stages.size(); ++stage) {
            const double key = static_cast<double>(stage) + 1;
            if (key < keyAxis()->range().lower - 1 || key > keyAxis()->range().upper + 1)
                continue;
            const QRectF bar = barRect(stage);
            painter->fillRect(bar, theme.stageFill(stage));
            const bool merge = stage < schedule->stages.size() && schedule->stages[stage].isMerged();
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
    Selection *selection = nullptr;
    StageBars *bars = nullptr;
    double stages = 0;
};

LatencyChart::LatencyChart(Selection *selection, QWidget *parent)
    : PlotPage(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.selection = selection;
    d.bars = new StageBars(plot()->xAxis, plot()->yAxis);
    plot()->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot()->axisRect()->setRangeDrag(Qt::Horizontal);
    plot()->axisRect()->setRangeZoom(Qt::Horizontal);
    plot()->xAxis->setLabel(QStringLiteral("stage"));
    plot()->yAxis->setLabel(QStringLiteral("latency (µs)"));
    // Stages are whole numbers: ticks are multiples of one, as many as fit.
    const QSharedPointer<QCPAxisTickerFixed> wholeNumbers(new QCPAxisTickerFixed);
    wholeNumbers->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot()->xAxis->setTicker(wholeNumbers);
    setHint(QStringLiteral("The latency of each stage appears here."));
    setAccessibleName(QStringLiteral("Stage latencies"));
    plot()->setAccessibleName(accessibleName());
    applyTheme();
    connect(plot()->xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this, [this](const QCPRange &range) {
        const Private &p = *m_private;
        const QCPRange kept = keptWithin(range, 0.4, p.stages + 0.6, std::min(4.0, p.stages));
        if (kept != range)
            plot()->xAxis->setRange(kept);
    });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) {
        m_private->bars->selected = selected;
        plot()->replot(QCustomPlot::rpQueuedReplot);
    });
}

LatencyChart::~LatencyChart() = default;

void LatencyChart::setSchedule(std::shared_ptr<const TimedSchedule> schedule)
{
    Private &d = *m_private;
    const bool measured = schedule && !schedule->measured.stages.empty();
    d.bars->schedule = measured ? std::move(schedule) : nullptr;
    d.bars->selected = d.selection->current();
    showPlot(measured);
    if (!measured)
        return;
    d.stages = static_cast<double>(d.bars->schedule->measured.stages.size());
    showSum();
    bool found = false;
    const QCPRange values = d.bars->getValueRange(found, QCP::sdBoth, QCPRange());
    plot()->yAxis->setRange(0, values.upper * 1.06);
    plot()->xAxis->setRange(0.4, d.stages + 0.6);
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void LatencyChart::applyTheme()
{
    Private &d = *m_private;
    d.bars->theme = themeFor(palette());
    stylePlot(*plot(), d.bars->theme);
    plot()->xAxis->grid()->setVisible(false);
    showSum();
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

// The sum of the bars and its provenance.
void LatencyChart::showSum()
{
    const StageBars &bars = *m_private->bars;
    if (!bars.schedule)
        return;
    Fact sum{QStringLiteral("sum"), latencyText(bars.schedule->sumOfStagesUs(), bars.schedule->leavesOutWork())};
    if (const auto provenance = bars.schedule->measured.provenance) {
        sum.after = provenanceText(*provenance);
        sum.provenance = provenance;
    }
    setFacts({std::move(sum)});
}

std::optional<std::size_t> LatencyChart::stageAt(QPoint point) const
{
    const Private &d = *m_private;
    if (!d.bars->schedule || !plot()->axisRect()->rect().contains(point))
        return std::nullopt;
    const double key = std::round(plot()->xAxis->pixelToCoord(point.x())) - 1;
    if (key < 0 || key >= d.stages)
        return std::nullopt;
    return static_cast<std::size_t>(key);
}

void LatencyChart::clicked(QPoint point)
{
    if (const auto stage = stageAt(point))
        m_private->selection->set({std::nullopt, stage});
    else
        m_private->selection->clear();
}

QString LatencyChart::tipAt(QPoint point) const
{
    const auto stage = stageAt(point);
    if (!stage)
        return {};
    const TimedSchedule &schedule = *m_private->bars->schedule;
    QString text =
        QStringLiteral("<b>%1</b> %2").arg(stageTitle(*stage), latencyText(schedule.measured.stages[*stage].latencyUs));
    if (schedule.measured.provenance)
        text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*schedule.measured.provenance));
    if (schedule.measured.whole)
        text += QStringLiteral("<br>%1 of the schedule")
                    .arg(percentText(schedule.measured.stages[*stage].latencyUs / schedule.measured.whole->latencyUs));
    return text + QStringLiteral("<br>%1, %2")
                      .arg(plural(static_cast<std::int64_t>(schedule.stages[*stage].operatorCount()), "operator"),
                           blockTitle(schedule.stages[*stage].block).toLower());
}

QPoint LatencyChart::barCentre(std::size_t stage) const
{
    const Private &d = *m_private;
    if (!d.bars->schedule || stage >= d.bars->schedule->measured.stages.size())
        return {};
    return fromPlot(d.bars->barRect(stage).center());
}

} // namespace stagecraft
