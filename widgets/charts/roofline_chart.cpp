#include "widgets/charts/roofline_chart.h"

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
    std::shared_ptr<const Schedule> schedule;
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
            const bool isMerge = schedule->stages[load.stage].strategy == Strategy::Merge;
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
    Private(RooflineChart *chart, Selection *shared) : q(chart), selection(shared) {}

    RooflineChart *q;
    Selection *selection;
    FactStrip *summary = nullptr;
    QWidget *page = nullptr; // summary and plot
    QCustomPlot *plot = nullptr;
    RoofAndStages *marks = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    QPoint pressedAt;
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

    void applyTheme()
    {
        marks->theme = themeFor(q->palette());
        stylePlot(*plot, marks->theme);
        showSummary();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    void showSummary() const
    {
        if (!marks->schedule)
            return;
        std::vector<Fact> facts;
        Fact stages{QStringLiteral("stages"), countText(static_cast<std::int64_t>(marks->loads.size()))};
        if (const auto provenance = marks->schedule->provenance) {
            stages.after = provenanceText(*provenance);
            stages.afterColour = marks->theme.provenance(*provenance);
        }
        facts.push_back(std::move(stages));
        const DeviceRoof &roof = marks->roof;
        if (roof.isKnown()) {
            facts.push_back({QStringLiteral("peak"), flopsText(roof.flopsPerSecond) + QStringLiteral("/s")});
            facts.push_back({QStringLiteral("bandwidth"),
                             QStringLiteral("%1 GB/s").arg(magnitudeText(roof.bytesPerSecond / kGiga))});
        } else {
            facts.push_back({QStringLiteral("roof"), QStringLiteral("this device does not tell its peaks")});
        }
        if (leftOut > 0)
            facts.push_back({QStringLiteral("without arithmetic"), countText(static_cast<std::int64_t>(leftOut))});
        summary->setFacts(std::move(facts));
    }

    void hover(QPoint point, QPoint global)
    {
        const StageLoad *load = loadAt(point);
        if (!load) {
            QToolTip::hideText();
            return;
        }
        QString text = QStringLiteral("<b>%1</b> %2").arg(stageTitle(load->stage), latencyText(load->us));
        if (marks->schedule->provenance)
            text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*marks->schedule->provenance));
        text += QStringLiteral("<br>%1/s at %2 FLOP per byte")
                    .arg(flopsText(load->flopsPerSecond()), magnitudeText(std::round(load->intensity() * 10) / 10));
        if (const auto share = roofShare(*load, marks->roof))
            text += QStringLiteral("<br>%1 of the device's %2")
                        .arg(percentText(share->share), share->limit == RoofLimit::Memory
                                                            ? QStringLiteral("bandwidth")
                                                            : QStringLiteral("arithmetic peak"));
        if (!load->isCosted)
            text += QStringLiteral("<br>at least: not all of its operators have a cost");
        QToolTip::showText(global, QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), plot);
    }
};

RooflineChart::RooflineChart(Selection *selection, QWidget *parent)
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
    d.plot->axisRect()->setMinimumMargins(QMargins(8, 8, 8, 4));
    for (QCPAxis *axis : {d.plot->xAxis, d.plot->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
        axis->setNumberFormat(QStringLiteral("gb"));
        axis->setNumberPrecision(3);
    }
    d.plot->xAxis->setLabel(QStringLiteral("arithmetic per byte (FLOP/B)"));
    d.plot->yAxis->setLabel(QStringLiteral("arithmetic (GFLOP/s)"));
    d.marks = new RoofAndStages(d.plot->xAxis, d.plot->yAxis);
    d.hint = new QLabel(this);
    d.hint->setAlignment(Qt::AlignCenter);
    d.hint->setWordWrap(true);
    d.hint->setObjectName(QStringLiteral("hint"));
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    setAccessibleName(QStringLiteral("Roofline"));
    setMinimumSize(160, 110);

    connect(d.plot, &QCustomPlot::mousePress, this,
            [this](QMouseEvent *event) { m_private->pressedAt = event->position().toPoint(); });
    connect(d.plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) {
        Private &p = *m_private;
        const QPoint here = event->position().toPoint();
        if (event->button() != Qt::LeftButton || (here - p.pressedAt).manhattanLength() > 3)
            return;
        if (const StageLoad *load = p.loadAt(here))
            p.selection->set({std::nullopt, load->stage});
        else
            p.selection->clear();
    });
    connect(d.plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        if (event->buttons() == Qt::NoButton)
            m_private->hover(event->position().toPoint(), event->globalPosition().toPoint());
    });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) {
        m_private->marks->selected = selected;
        m_private->plot->replot(QCustomPlot::rpQueuedReplot);
    });
}

RooflineChart::~RooflineChart() = default;

void RooflineChart::setLoads(std::shared_ptr<const Schedule> schedule, std::vector<StageLoad> loads, DeviceRoof roof)
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
    const bool isEmpty = d.marks->loads.empty();
    d.stack->setCurrentWidget(isEmpty ? static_cast<QWidget *>(d.hint) : d.page);
    if (isEmpty)
        return;
    d.showSummary();
    bool found = false;
    const QCPRange keys = d.marks->getKeyRange(found, QCP::sdPositive);
    const QCPRange values = d.marks->getValueRange(found, QCP::sdPositive, QCPRange());
    d.plot->xAxis->setRange(keys.lower / 1.6, keys.upper * 1.6);
    d.plot->yAxis->setRange(values.lower / 1.8, values.upper * 1.8);
    d.plot->replot(QCustomPlot::rpQueuedReplot);
}

void RooflineChart::setHint(const QString &hint)
{
    m_private->hint->setText(hint);
}

QString RooflineChart::plainSummary() const
{
    return m_private->summary->plainText();
}

QPoint RooflineChart::markCentre(std::size_t stage) const
{
    const Private &d = *m_private;
    const auto found = std::ranges::find(d.marks->loads, stage, &StageLoad::stage);
    return found == d.marks->loads.end() ? QPoint() : d.plot->mapTo(this, d.marks->centreOf(*found).toPoint());
}

QSize RooflineChart::sizeHint() const
{
    return {320, 230};
}

void RooflineChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->plot)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
