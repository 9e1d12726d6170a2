#include "widgets/charts/roofline_chart.h"

#include "widgets/base/format.h"
#include "widgets/base/plot_style.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kMark = 5;  // radius in pixels
constexpr double kReach = 9; // pixels around a mark that select it
constexpr double kGiga = 1e9;
constexpr double kLeastShare = 1e-4; // of the largest value: the axes end there

bool isDrawn(const StageLoad &load)
{
    return load.us > 0 && load.bytes > 0 && load.flops > 0;
}

// The roof, and a mark per stage in the stage's colour; the selected one is outlined.
class RoofAndStages : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::shared_ptr<const TimedSchedule> schedule;
    std::vector<StageLoad> loads; // those that are drawn
    DeviceRoof roof;
    Selected selected;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        QCPRange range = over([](const StageLoad &load) { return load.intensity(); }, found);
        if (found && roof.isKnown())
            range.expand(roof.ridge());
        return range;
    }

    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        QCPRange range = over([](const StageLoad &load) { return load.flopsPerSecond() / kGiga; }, found);
        if (found && roof.isKnown())
            range.expand(roof.flopsPerSecond / kGiga);
        return range;
    }

    [[nodiscard]] QPointF centreOf(const StageLoad &load) const
    {
        return {keyAxis()->coordToPixel(load.intensity()), valueAxis()->coordToPixel(load.flopsPerSecond() / kGiga)};
    }

    [[nodiscard]] bool isSelected(std::size_t stage) const
    {
        return selected.stage == stage || selected.block == schedule->stages[stage].block;
    }

protected:
    void draw(QCPPainter *painter) override
    {
        painter->setAntialiasing(true);
        drawRoof(*painter);
        for (const StageLoad &load : loads) {
            const bool isMerge = schedule->stages[load.stage].isMerged();
            const QPen outline(isMerge ? theme.mergeMark : theme.mutedText, isMerge ? 2 : 1);
            drawMark(*painter, load, isSelected(load.stage) ? QPen(theme.accent, 2.5) : outline);
        }
        for (const StageLoad &load : loads) { // selected ones lie on top
            if (isSelected(load.stage))
                drawMark(*painter, load, QPen(theme.accent, 2.5));
        }
    }

    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    template <typename Value>
    QCPRange over(const Value &value, bool &found) const
    {
        found = !loads.empty();
        QCPRange range;
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const double each = value(loads[i]);
            range = i == 0 ? QCPRange(each, each) : QCPRange(std::min(range.lower, each), std::max(range.upper, each));
        }
        range.lower = std::max(range.lower, range.upper * kLeastShare);
        return range;
    }

    void drawMark(QCPPainter &painter, const StageLoad &load, const QPen &pen) const
    {
        painter.setPen(pen);
        painter.setBrush(theme.stageFill(load.stage));
        painter.drawEllipse(centreOf(load), kMark, kMark);
    }

    void drawRoof(QCPPainter &painter) const
    {
        if (!roof.isKnown())
            return;
        const QCPRange keys = keyAxis()->range();
        const auto at = [&](double key) {
            return QPointF(keyAxis()->coordToPixel(key), valueAxis()->coordToPixel(roof.at(key) / kGiga));
        };
        QPolygonF line{at(keys.lower)};
        if (keys.contains(roof.ridge()))
            line << at(roof.ridge());
        line << at(keys.upper);
        painter.setPen(QPen(theme.text, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
    }
};

} // namespace

class RooflineChart::Private {
public:
    Selection *selection = nullptr;
    RoofAndStages *marks = nullptr;
    std::size_t leftOut = 0; // stages without work or time

    [[nodiscard]] const StageLoad *loadAt(QPointF point) const
    {
        const StageLoad *nearest = nullptr;
        double least = kReach;
        for (const StageLoad &load : marks->loads) {
            const double distance = QLineF(marks->centreOf(load), point).length();
            if (distance <= least) {
                least = distance;
                nearest = &load;
            }
        }
        return nearest;
    }
};

RooflineChart::RooflineChart(Selection *selection, QWidget *parent)
    : PlotPage(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.selection = selection;
    for (QCPAxis *axis : {plot()->xAxis, plot()->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
        axis->setNumberFormat(QStringLiteral("gb"));
        axis->setNumberPrecision(3);
    }
    plot()->xAxis->setLabel(QStringLiteral("arithmetic per byte (FLOP/B)"));
    plot()->yAxis->setLabel(QStringLiteral("arithmetic (GFLOP/s)"));
    d.marks = new RoofAndStages(plot()->xAxis, plot()->yAxis);
    setAccessibleName(QStringLiteral("Roofline"));
    plot()->setAccessibleName(accessibleName());
    applyTheme();
    connect(selection, &Selection::changed, this, [this](const Selected &selected) {
        m_private->marks->selected = selected;
        plot()->replot(QCustomPlot::rpQueuedReplot);
    });
}

RooflineChart::~RooflineChart() = default;

void RooflineChart::setLoads(std::shared_ptr<const TimedSchedule> schedule, std::vector<StageLoad> loads,
                             DeviceRoof roof)
{
    Private &d = *m_private;
    const std::size_t all = loads.size();
    std::erase_if(loads, [&](const StageLoad &load) {
        return !schedule || load.stage >= schedule->stages.size() || !isDrawn(load);
    });
    d.leftOut = all - loads.size();
    d.marks->schedule = loads.empty() ? nullptr : std::move(schedule);
    d.marks->loads = std::move(loads);
    d.marks->roof = roof;
    d.marks->selected = d.selection->current();
    showPlot(!d.marks->loads.empty());
    if (d.marks->loads.empty())
        return;
    showRoof();
    bool found = false;
    const QCPRange keys = d.marks->getKeyRange(found, QCP::sdPositive);
    const QCPRange values = d.marks->getValueRange(found, QCP::sdPositive, QCPRange());
    plot()->xAxis->setRange(keys.lower / 1.6, keys.upper * 1.6);
    plot()->yAxis->setRange(values.lower / 1.8, values.upper * 1.8);
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void RooflineChart::applyTheme()
{
    Private &d = *m_private;
    d.marks->theme = themeFor(palette());
    stylePlot(*plot(), d.marks->theme);
    showRoof();
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

// The number of marks with their provenance, and the peaks.
void RooflineChart::showRoof()
{
    const Private &d = *m_private;
    if (!d.marks->schedule)
        return;
    std::vector<Fact> facts;
    Fact stages{QStringLiteral("stages"), countText(static_cast<std::int64_t>(d.marks->loads.size()))};
    if (const auto provenance = d.marks->schedule->measured.provenance) {
        stages.after = provenanceText(*provenance);
        stages.provenance = provenance;
    }
    facts.push_back(std::move(stages));
    const DeviceRoof &roof = d.marks->roof;
    if (roof.isKnown()) {
        facts.push_back({QStringLiteral("peak"), flopsText(roof.flopsPerSecond) + QStringLiteral("/s")});
        facts.push_back(
            {QStringLiteral("bandwidth"), QStringLiteral("%1 GB/s").arg(magnitudeText(roof.bytesPerSecond / kGiga))});
    } else {
        facts.push_back({QStringLiteral("roof"), QStringLiteral("this device does not tell its peaks")});
    }
    if (d.leftOut > 0)
        facts.push_back({QStringLiteral("without arithmetic"), countText(static_cast<std::int64_t>(d.leftOut))});
    setFacts(std::move(facts));
}

void RooflineChart::clicked(QPoint point)
{
    if (const StageLoad *load = m_private->loadAt(point))
        m_private->selection->set({std::nullopt, load->stage});
    else
        m_private->selection->clear();
}

QString RooflineChart::tipAt(QPoint point) const
{
    const StageLoad *load = m_private->loadAt(point);
    if (!load)
        return {};
    QString text = QStringLiteral("<b>%1</b> %2").arg(stageTitle(load->stage), latencyText(load->us));
    if (m_private->marks->schedule->measured.provenance)
        text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*m_private->marks->schedule->measured.provenance));
    text += QStringLiteral("<br>%1/s at %2 FLOP per byte")
                .arg(flopsText(load->flopsPerSecond()), magnitudeText(std::round(load->intensity() * 10) / 10));
    if (const auto share = roofShare(*load, m_private->marks->roof))
        text +=
            QStringLiteral("<br>%1 of the device's %2")
                .arg(percentText(share->share), share->limit == RoofLimit::Memory ? QStringLiteral("bandwidth")
                                                                                  : QStringLiteral("arithmetic peak"));
    if (!load->isCosted)
        text += QStringLiteral("<br>at least: not all of its operators have a cost");
    return text;
}

QPoint RooflineChart::markCentre(std::size_t stage) const
{
    const Private &d = *m_private;
    const auto found = std::ranges::find(d.marks->loads, stage, &StageLoad::stage);
    return found == d.marks->loads.end() ? QPoint() : fromPlot(d.marks->centreOf(*found));
}

} // namespace stagecraft
