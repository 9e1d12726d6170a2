#include "widgets/study/pruning_plot.h"

#include "widgets/base/plot_style.h"
#include "widgets/study/pruning_layers.h"
#include "widgets/study/schedule_preview.h"

#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNear = 10;     // pixels from a point that still mean it
constexpr double kLogFrom = 25;  // costs this many times apart are shown on a logarithmic axis
constexpr double kMargin = 0.06; // of the range, around all points
constexpr double kZoomStep = 0.8;
constexpr double kPanStep = 0.15;
constexpr double kMilliseconds = 1000;

} // namespace

class PruningPlot::Private {
public:
    explicit Private(PruningPlot *owner) : q(owner) {}

    PruningPlot *q;
    QCustomPlot *plot = nullptr;
    PruningLayers *layers = nullptr;
    QPointer<SchedulePreview> preview; // a child of the window while it is shown
    bool isWhole = true;               // not zoomed: new points are fitted in
    bool isSettingRange = false;
    std::optional<QPointF> panFrom;

    [[nodiscard]] std::optional<std::size_t> pointAt(QPointF at) const
    {
        std::optional<std::size_t> nearest;
        double best = kNear * kNear;
        for (std::size_t i = 0; i < layers->points.size(); ++i) {
            const QPointF apart = layers->pixelOf(i) - at;
            if (const double distance = QPointF::dotProduct(apart, apart); distance <= best) {
                best = distance;
                nearest = i;
            }
        }
        return nearest;
    }

    void replot() const { plot->replot(QCustomPlot::rpQueuedReplot); }

    void applyTheme() const
    {
        layers->theme = themeFor(q->palette());
        stylePlot(*plot, layers->theme);
        QColor rubber = layers->theme.accent;
        plot->selectionRect()->setPen(QPen(rubber, 1));
        rubber.setAlphaF(0.12F);
        plot->selectionRect()->setBrush(rubber);
        replot();
    }

    // The scale and unit of the axes, and the whole range unless zoomed.
    void fit()
    {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        double slowest = 0;
        for (const PlottedPoint &point : layers->points) {
            least = std::min(least, point.cost(layers->cost));
            most = std::max(most, point.cost(layers->cost));
            slowest = std::max(slowest, point.latencyUs);
        }
        for (std::size_t i = 0; layers->showsPublished() && i < layers->published.size(); ++i) {
            least = std::min(least, layers->published[i].seconds);
            most = std::max(most, layers->published[i].seconds);
            slowest = std::max(slowest, layers->published[i].latencyUs);
        }
        const bool isLog = least > 0 && most > kLogFrom * least;
        plot->xAxis->setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        plot->xAxis->setTicker(isLog ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                     : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        plot->xAxis->setLabel(costTitle(layers->cost));
        layers->unitUs = slowest >= kMilliseconds ? kMilliseconds : 1;
        plot->yAxis->setLabel(layers->unitUs > 1 ? QStringLiteral("latency (ms)") : QStringLiteral("latency (µs)"));
        if (isWhole)
            showAll();
        replot();
    }

    static QCPRange widened(const QCPRange &range, bool isLog)
    {
        if (isLog) {
            const double factor = std::pow(std::max(range.upper / range.lower, 1.5), kMargin);
            return {range.lower / factor, range.upper * factor};
        }
        const double margin = range.size() > 0 ? kMargin * range.size() : std::max(0.05 * std::abs(range.upper), 1e-6);
        return {range.lower - margin, range.upper + margin};
    }

    void showAll()
    {
        bool found = false;
        const QCPRange costs = layers->getKeyRange(found, QCP::sdBoth);
        if (!found)
            return;
        const QCPRange latencies = layers->getValueRange(found, QCP::sdBoth, {});
        show(costs, latencies);
        isWhole = true;
    }

    void show(const QCPRange &costs, const QCPRange &latencies)
    {
        isSettingRange = true;
        plot->xAxis->setRange(widened(costs, plot->xAxis->scaleType() == QCPAxis::stLogarithmic));
        plot->yAxis->setRange(widened(latencies, false));
        isSettingRange = false;
        isWhole = false;
        replot();
    }

    void setCurrent(std::optional<std::size_t> point)
    {
        if (!preview || (std::exchange(layers->current, point) == point && (!point || preview->isVisible())))
            return;
        if (point) {
            const PlottedPoint &shown = layers->points[*point];
            QStringList facts = factsOf(shown);
            if (frontOf(layers->points, layers->cost)[*point])
                facts << QStringLiteral("on the Pareto front");
            if (const QString same = samePlace(*point); !same.isEmpty())
                facts << QStringLiteral("in the same place: %1").arg(same);
            facts << QStringLiteral("Click or Enter puts it on the shelf");
            preview->show(titleOf(shown.point), latencyOf(shown), facts, shown.schedule,
                          plot->mapToGlobal(layers->pixelOf(*point).toPoint()));
            q->setAccessibleDescription(preview->spoken());
        } else {
            preview->hide();
        }
        replot();
    }

    // Other points with the same cost and latency.
    [[nodiscard]] QString samePlace(std::size_t point) const
    {
        constexpr qsizetype kMost = 3;
        const PlottedPoint &shown = layers->points[point];
        QStringList titles;
        for (const PlottedPoint &other : layers->points) {
            if (other.point != shown.point && other.cost(layers->cost) == shown.cost(layers->cost) &&
                other.latencyUs == shown.latencyUs)
                titles << titleOf(other.point);
        }
        const qsizetype more = titles.size() - kMost;
        titles = titles.mid(0, kMost);
        if (more > 0)
            titles << QStringLiteral("%1 more").arg(more);
        return titles.join(QStringLiteral("; "));
    }

    // The next point by cost, or the cheapest.
    void step(int by)
    {
        const auto &points = layers->points;
        if (points.empty())
            return;
        std::vector<std::size_t> order(points.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::sort(
            order, {}, [&](std::size_t i) { return std::tuple(points[i].cost(layers->cost), points[i].latencyUs, i); });
        const auto here = layers->current ? std::ranges::find(order, *layers->current) : order.end();
        const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
        const std::ptrdiff_t next =
            here == order.end() ? (by > 0 ? 0 : last) : std::clamp<std::ptrdiff_t>(here - order.begin() + by, 0, last);
        setCurrent(order[static_cast<std::size_t>(next)]);
    }

    void toggleSelected(const PruningPoint &point)
    {
        auto next = layers->selected;
        if (std::erase(next, point) == 0)
            next.push_back(point);
        q->setSelected(next);
    }

    void selectIn(const QRect &region, bool adds)
    {
        std::vector<PruningPoint> next = adds ? layers->selected : std::vector<PruningPoint>{};
        for (std::size_t i = 0; i < layers->points.size(); ++i) {
            if (region.contains(layers->pixelOf(i).toPoint()) && !(adds && layers->isSelected(i)))
                next.push_back(layers->points[i].point);
        }
        q->setSelected(next);
    }

    // To the selected points, or all.
    void zoomToSelection()
    {
        std::vector<double> costs;
        std::vector<double> latencies;
        for (std::size_t i = 0; i < layers->points.size(); ++i) {
            if (!layers->isSelected(i))
                continue;
            costs.push_back(layers->points[i].cost(layers->cost));
            latencies.push_back(layers->points[i].latencyUs / layers->unitUs);
        }
        if (costs.empty())
            showAll();
        else
            show({std::ranges::min(costs), std::ranges::max(costs)},
                 {std::ranges::min(latencies), std::ranges::max(latencies)});
    }

    void zoom(double factor) const
    {
        plot->xAxis->scaleRange(factor);
        plot->yAxis->scaleRange(factor);
        replot();
    }

    void pan(QPointF pixels) const
    {
        for (const auto &[axis, by] : {std::pair{plot->xAxis, pixels.x()}, std::pair{plot->yAxis, pixels.y()}}) {
            const double from = axis->coordToPixel(axis->range().lower) - by;
            const double to = axis->coordToPixel(axis->range().upper) - by;
            axis->setRange(axis->pixelToCoord(from), axis->pixelToCoord(to));
        }
        replot();
    }

    void connectMouse()
    {
        QObject::connect(plot->selectionRect(), &QCPSelectionRect::accepted, q,
                         [this](const QRect &region, const QMouseEvent *event) {
                             selectIn(region, event->modifiers().testFlag(Qt::ControlModifier));
                         });
        QObject::connect(plot, &QCustomPlot::mousePress, q, [this](const QMouseEvent *event) {
            q->setFocus(Qt::MouseFocusReason);
            pressedAt = event->position();
            if (event->button() == Qt::MiddleButton)
                panFrom = event->position();
        });
        QObject::connect(plot, &QCustomPlot::mouseMove, q, [this](const QMouseEvent *event) {
            if (panFrom) {
                pan(event->position() - *panFrom);
                panFrom = event->position();
            } else if (event->buttons() == Qt::NoButton) {
                setCurrent(pointAt(event->position()));
            }
        });
        QObject::connect(plot, &QCustomPlot::mouseRelease, q, [this](const QMouseEvent *event) {
            panFrom.reset();
            if (event->button() != Qt::LeftButton || (event->position() - pressedAt).manhattanLength() > 3)
                return;
            const auto point = pointAt(event->position());
            if (!point)
                q->setSelected({});
            else if (event->modifiers().testFlag(Qt::ControlModifier))
                toggleSelected(layers->points[*point].point);
            else
                emit q->chosen(layers->points[*point].point);
        });
        QObject::connect(plot, &QCustomPlot::mouseDoubleClick, q, [this](const QMouseEvent *event) {
            if (!pointAt(event->position()))
                showAll();
        });
    }

    QPointF pressedAt;
};

PruningPlot::PruningPlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    d.plot = new QCustomPlot(this);
    d.plot->setObjectName(QStringLiteral("plot"));
    d.layers = new PruningLayers(d.plot->xAxis, d.plot->yAxis);
    d.preview = new SchedulePreview(this);
    d.plot->setInteractions(QCP::iRangeZoom);
    d.plot->setSelectionRectMode(QCP::srmCustom);
    d.plot->axisRect()->setMinimumMargins(QMargins(8, 6, 12, 4));
    d.plot->setFocusPolicy(Qt::NoFocus);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(d.plot);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Latency against the cost of the search"));
    setMinimumSize(160, 90);
    d.applyTheme();
    d.connectMouse();
    for (QCPAxis *axis : {d.plot->xAxis, d.plot->yAxis})
        connect(axis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this,
                [this] { m_private->isWhole = m_private->isWhole && m_private->isSettingRange; });
}

PruningPlot::~PruningPlot()
{
    delete m_private->preview;
}

void PruningPlot::setPoints(std::vector<PlottedPoint> points)
{
    Private &d = *m_private;
    const bool continues = points.size() >= d.layers->points.size() &&
                           std::ranges::equal(d.layers->points, std::span(points).first(d.layers->points.size()), {},
                                              &PlottedPoint::point, &PlottedPoint::point);
    if (!continues) {
        d.setCurrent(std::nullopt);
        d.isWhole = true;
        setSelected({});
    }
    d.layers->points = std::move(points);
    d.fit();
}

void PruningPlot::setPublished(std::vector<PublishedPoint> points, const QString &by)
{
    m_private->layers->publishedBy = by;
    m_private->layers->published = std::move(points);
    m_private->fit();
}

void PruningPlot::setCost(PointCost cost)
{
    Private &d = *m_private;
    if (std::exchange(d.layers->cost, cost) == cost)
        return;
    d.setCurrent(std::nullopt);
    d.isWhole = true;
    d.fit();
}

PointCost PruningPlot::cost() const
{
    return m_private->layers->cost;
}

void PruningPlot::setLines(EqualBound equal, bool shown)
{
    (equal == EqualBound::R ? m_private->layers->showsEqualR : m_private->layers->showsEqualS) = shown;
    m_private->replot();
}

void PruningPlot::setSelected(const std::vector<PruningPoint> &points)
{
    Private &d = *m_private;
    if (std::exchange(d.layers->selected, points) == points)
        return;
    d.replot();
    emit selectionChanged();
}

const std::vector<PruningPoint> &PruningPlot::selected() const
{
    return m_private->layers->selected;
}

const std::vector<PlottedPoint> &PruningPlot::points() const
{
    return m_private->layers->points;
}

void PruningPlot::showAll()
{
    m_private->showAll();
}

void PruningPlot::paintWhole(QCPPainter &painter, QSize size)
{
    Private &d = *m_private;
    d.showAll();
    d.layers->showsBounds = true;
    d.plot->toPainter(&painter, size.width(), size.height());
    d.layers->showsBounds = false;
}

QPoint PruningPlot::placeOf(const PruningPoint &point) const
{
    const Private &d = *m_private;
    const auto found = std::ranges::find(d.layers->points, point, &PlottedPoint::point);
    if (found == d.layers->points.end())
        return {};
    const auto index = static_cast<std::size_t>(found - d.layers->points.begin());
    return d.plot->mapTo(this, d.layers->pixelOf(index).toPoint());
}

const SchedulePreview *PruningPlot::preview() const
{
    return m_private->preview;
}

QSize PruningPlot::sizeHint() const
{
    return {470, 180};
}

bool PruningPlot::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        m_private->applyTheme();
    return QWidget::event(event);
}

void PruningPlot::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    const double width = d.plot->axisRect()->width();
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: d.step(1); return;
    case Qt::Key_Left:
    case Qt::Key_Up: d.step(-1); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (d.layers->current)
            emit chosen(d.layers->points[*d.layers->current].point);
        return;
    case Qt::Key_Space:
        if (d.layers->current)
            d.toggleSelected(d.layers->points[*d.layers->current].point);
        return;
    case Qt::Key_Escape:
        d.setCurrent(std::nullopt);
        setSelected({});
        return;
    case Qt::Key_Z: d.zoomToSelection(); return;
    case Qt::Key_W: d.zoom(kZoomStep); return;
    case Qt::Key_S: d.zoom(1 / kZoomStep); return;
    case Qt::Key_A: d.pan({kPanStep * width, 0}); return;
    case Qt::Key_D: d.pan({-kPanStep * width, 0}); return;
    default: QWidget::keyPressEvent(event);
    }
}

void PruningPlot::focusOutEvent(QFocusEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::focusOutEvent(event);
}

void PruningPlot::leaveEvent(QEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::leaveEvent(event);
}

} // namespace stagecraft
