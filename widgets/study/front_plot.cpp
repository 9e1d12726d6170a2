#include "widgets/study/front_plot.h"

#include "widgets/base/format.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/plot_style.h"

#include <QImage>
#include <QKeyEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <qcustomplot.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNearPlan = 14;      // pixels from a mark that still mean it
constexpr double kPlansMargin = 0.12; // of the range, around all plans
constexpr double kFrontScale = 2;     // pixels of a picture for each
constexpr double kMsFrom = 2000;      // microseconds from which axes are in milliseconds

} // namespace

class FrontPlot::Private {
public:
    explicit Private(FrontPlot *owner) : q(owner) {}

    FrontPlot *q;
    QCustomPlot *plot = nullptr;
    QCPGraph *others = nullptr;
    QCPCurve *front = nullptr; // its marks are those of the next
    QCPGraph *best = nullptr;
    QCPGraph *shown = nullptr; // a ring
    QCPGraph *here = nullptr;  // a larger one
    std::array<QCPItemStraightLine *, kModelsTogether> alone{};
    TogetherFacts facts;
    std::vector<std::size_t> order; // plans from left to right
    std::optional<std::size_t> current;

    void create()
    {
        const auto add = [this](const char *name) {
            QCPGraph *graph = plot->addGraph();
            graph->setLineStyle(QCPGraph::lsNone);
            graph->setName(QString::fromLatin1(name));
            return graph;
        };
        others = add("other plans");
        front = new QCPCurve(plot->xAxis, plot->yAxis);
        front->removeFromLegend();
        best = add("front");
        shown = add("shown");
        here = add("");
        here->removeFromLegend();
        for (QCPItemStraightLine *&line : alone)
            line = new QCPItemStraightLine(plot);
        plot->legend->setVisible(true);
        plot->plotLayout()->insertRow(0); // a line above, where it hides no plan
        plot->plotLayout()->addElement(0, 0, plot->legend);
        plot->plotLayout()->setRowStretchFactor(0, 0.001);
        plot->plotLayout()->setRowSpacing(0);
        plot->legend->setFillOrder(QCPLegend::foColumnsFirst);
        plot->legend->setBorderPen(Qt::NoPen);
        plot->legend->setMargins(QMargins(8, 0, 8, 0));
    }

    void applyTheme()
    {
        const Theme theme = themeFor(q->palette());
        stylePlot(*plot, theme);
        others->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, theme.mutedText, 6));
        best->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(theme.accent), theme.accent, 8));
        front->setPen(QPen(theme.accent, 1.5));
        shown->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.text, 2), Qt::NoBrush, 14));
        here->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.accent, 2), Qt::NoBrush, 18));
        plot->xAxis->setLabelColor(modelColour(theme, 0));
        plot->yAxis->setLabelColor(modelColour(theme, 1));
        for (std::size_t i = 0; i < alone.size(); ++i)
            alone[i]->setPen(QPen(modelColour(theme, i), 1, Qt::DotLine));
        plot->legend->setBrush(theme.canvas);
        plot->legend->setTextColor(theme.text);
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    [[nodiscard]] bool isInMs() const
    {
        return std::ranges::any_of(facts.plans, [](const TogetherPlan &plan) { return plan.latencyUs >= kMsFrom; });
    }

    [[nodiscard]] QPointF pointOf(std::size_t plan) const
    {
        const double unit = isInMs() ? 1e3 : 1;
        return {facts.plans[plan].endsUs[0] / unit, facts.plans[plan].endsUs[1] / unit};
    }

    void draw()
    {
        order.clear();
        for (std::size_t i = 0; i < facts.plans.size(); ++i)
            order.push_back(i);
        std::ranges::stable_sort(order, {}, [this](std::size_t plan) { return facts.plans[plan].endsUs; });
        for (QCPGraph *graph : {others, best, shown, here})
            graph->setData(QVector<double>(), QVector<double>());
        QVector<double> stepsX;
        QVector<double> stepsY;
        QVector<double> steps;
        for (const std::size_t plan : order) {
            const QPointF at = pointOf(plan);
            (facts.plans[plan].isOnFront ? best : others)->addData(at.x(), at.y());
            if (facts.shown == plan)
                shown->addData(at.x(), at.y());
            if (!facts.plans[plan].isOnFront)
                continue;
            if (!stepsY.isEmpty()) { // to the right at the height of the one before, then down
                stepsX << at.x();
                stepsY << stepsY.back();
                steps << static_cast<double>(steps.size());
            }
            stepsX << at.x();
            stepsY << at.y();
            steps << static_cast<double>(steps.size());
        }
        front->setData(steps, stepsX, stepsY);
        fit();
        applyTheme();
    }

    void fit() const
    {
        const double unit = isInMs() ? 1e3 : 1;
        const QString of = isInMs() ? QStringLiteral("%1, ms") : QStringLiteral("%1, µs");
        const std::array axes{plot->xAxis, plot->yAxis};
        for (std::size_t i = 0; i < axes.size(); ++i) {
            axes[i]->setLabel(of.arg(facts.models[i]));
            const double us = facts.aloneUs[i] / unit;
            alone[i]->setVisible(us > 0);
            alone[i]->point1->setCoords(i == 0 ? us : 0, i == 0 ? 0 : us);
            alone[i]->point2->setCoords(i == 0 ? us : 1, i == 0 ? 1 : us);
            if (facts.plans.empty())
                continue;
            QCPRange range =
                us > 0 ? QCPRange(us, us) : QCPRange(facts.plans[0].endsUs[i] / unit, facts.plans[0].endsUs[i] / unit);
            for (const TogetherPlan &plan : facts.plans)
                range.expand(plan.endsUs[i] / unit);
            const double side = std::max(range.size(), 0.02 * range.upper) * kPlansMargin;
            axes[i]->setRange(range.lower - side, range.upper + side);
        }
    }

    [[nodiscard]] QPointF pixelOf(std::size_t plan) const
    {
        const QPointF at = pointOf(plan);
        return {plot->xAxis->coordToPixel(at.x()), plot->yAxis->coordToPixel(at.y())};
    }

    [[nodiscard]] std::optional<std::size_t> planAt(QPointF at) const
    {
        std::optional<std::size_t> nearest;
        double least = kNearPlan * kNearPlan;
        for (std::size_t i = 0; i < facts.plans.size(); ++i) {
            const QPointF apart = pixelOf(i) - at;
            if (const double distance = QPointF::dotProduct(apart, apart); distance <= least) {
                least = distance;
                nearest = i;
            }
        }
        return nearest;
    }

    void setCurrent(std::optional<std::size_t> plan)
    {
        if (std::exchange(current, plan) == plan)
            return;
        here->setData(QVector<double>(), QVector<double>());
        if (plan) {
            const QPointF at = pointOf(*plan);
            here->addData(at.x(), at.y());
            const QString text = planText(facts, *plan);
            q->setAccessibleDescription(text);
            QToolTip::showText(plot->mapToGlobal(pixelOf(*plan).toPoint()),
                               text + QStringLiteral("\nClick or Enter shows its schedule"), q);
        } else {
            QToolTip::hideText();
        }
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    void step(std::ptrdiff_t by)
    {
        if (order.empty())
            return;
        const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
        std::ptrdiff_t next = by > 0 ? 0 : last;
        if (current)
            next = std::clamp<std::ptrdiff_t>(std::ranges::find(order, *current) - order.begin() + by, 0, last);
        setCurrent(order[static_cast<std::size_t>(next)]);
    }

    void choose(std::optional<std::size_t> plan) const
    {
        if (plan)
            emit q->chosen(*plan);
    }
};

FrontPlot::FrontPlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    d.plot = new QCustomPlot(this);
    d.plot->setObjectName(QStringLiteral("plot"));
    d.plot->setFocusPolicy(Qt::NoFocus);
    d.plot->axisRect()->setMinimumMargins(QMargins(8, 6, 12, 4));
    d.create();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(d.plot);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Latency of one model against that of the other"));
    setMinimumSize(150, 110);
    d.applyTheme();
    connect(d.plot, &QCustomPlot::mouseMove, this, [this](const QMouseEvent *event) {
        if (event->buttons() == Qt::NoButton)
            m_private->setCurrent(m_private->planAt(event->position()));
    });
    connect(d.plot, &QCustomPlot::mouseRelease, this, [this](const QMouseEvent *event) {
        setFocus(Qt::MouseFocusReason);
        if (event->button() == Qt::LeftButton)
            m_private->choose(m_private->planAt(event->position()));
    });
}

FrontPlot::~FrontPlot() = default;

void FrontPlot::setFacts(const TogetherFacts &facts)
{
    m_private->setCurrent(std::nullopt);
    m_private->facts = facts;
    m_private->draw();
}

std::optional<std::size_t> FrontPlot::current() const
{
    return m_private->current;
}

QPoint FrontPlot::placeOf(std::size_t plan) const
{
    return m_private->plot->mapTo(this, m_private->pixelOf(plan).toPoint());
}

QImage FrontPlot::picture() const
{
    return m_private->plot->toPixmap(width(), height(), kFrontScale).toImage();
}

bool FrontPlot::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        m_private->applyTheme();
    return QWidget::event(event);
}

void FrontPlot::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: d.step(1); return;
    case Qt::Key_Left:
    case Qt::Key_Up: d.step(-1); return;
    case Qt::Key_Home: d.setCurrent(d.order.empty() ? std::nullopt : std::optional(d.order.front())); return;
    case Qt::Key_End: d.setCurrent(d.order.empty() ? std::nullopt : std::optional(d.order.back())); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: d.choose(d.current); return;
    case Qt::Key_Escape: d.setCurrent(std::nullopt); return;
    default: QWidget::keyPressEvent(event);
    }
}

void FrontPlot::focusOutEvent(QFocusEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::focusOutEvent(event);
}

void FrontPlot::leaveEvent(QEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::leaveEvent(event);
}

} // namespace stagecraft
