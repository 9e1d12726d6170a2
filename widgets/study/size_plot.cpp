#include "widgets/study/size_plot.h"

#include "widgets/base/format.h"
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

constexpr double kNearSize = 12;     // pixels from a point that still mean it
constexpr double kSizeMargin = 0.08; // of the range, around all points
constexpr double kLogSizesFrom = 8;  // sizes this many times apart are shown on a logarithmic axis
constexpr double kPictureScale = 2;  // pixels for each
constexpr std::array kDrawn{kSizeIos, kSizeGreedy};
constexpr std::array kMarks{QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare};

QString gainPart(const SizePoint &point, std::size_t schedule)
{
    return QStringLiteral("%1 %2 (%3)")
        .arg(QString::fromUtf8(kSizeSchedules[schedule].data()), latencyText(point.times[schedule].timing.latencyUs),
             QString::fromStdString(gainText(point, schedule)));
}

} // namespace

QString sizeText(const SizePoint &point, const QString &parameter)
{
    const auto provenance = point.found->measured.provenance;
    return QStringLiteral("%1 %2: Sequential %3, %4, %5%6")
        .arg(parameter, countText(point.size), latencyText(point.times.front().timing.latencyUs),
             gainPart(point, kSizeGreedy), gainPart(point, kSizeIos),
             provenance ? QStringLiteral("; ") + provenanceText(*provenance) : QString());
}

class SizePlot::Private {
public:
    explicit Private(SizePlot *owner) : q(owner) {}

    SizePlot *q;
    QCustomPlot *plot = nullptr;
    std::array<QCPGraph *, kDrawn.size()> graphs{};
    std::array<QCPErrorBars *, kDrawn.size()> intervals{};
    QCPGraph *here = nullptr; // a ring around the current point
    QCPItemStraightLine *one = nullptr;
    std::vector<QCPItemStraightLine *> crossings;
    std::vector<SizePoint> points;
    QString parameter;
    std::optional<std::size_t> current;

    void create()
    {
        for (std::size_t i = 0; i < kDrawn.size(); ++i) {
            graphs[i] = plot->addGraph();
            graphs[i]->setName(QString::fromUtf8(kSizeSchedules[kDrawn[i]].data()));
            intervals[i] = new QCPErrorBars(plot->xAxis, plot->yAxis);
            intervals[i]->setDataPlottable(graphs[i]);
            intervals[i]->removeFromLegend();
        }
        here = plot->addGraph();
        here->setLineStyle(QCPGraph::lsNone);
        here->removeFromLegend();
        one = new QCPItemStraightLine(plot);
        one->point1->setCoords(1, 1);
        one->point2->setCoords(2, 1);
        plot->legend->setVisible(true);
        plot->plotLayout()->insertRow(0); // a line above, where it hides no point
        plot->plotLayout()->addElement(0, 0, plot->legend);
        plot->plotLayout()->setRowStretchFactor(0, 0.001);
        plot->plotLayout()->setRowSpacing(0);
        plot->legend->setFillOrder(QCPLegend::foColumnsFirst);
        plot->legend->setBorderPen(Qt::NoPen);
        plot->legend->setMargins(QMargins(8, 0, 8, 0));
        plot->yAxis->setLabel(QStringLiteral("speed-up"));
    }

    void applyTheme()
    {
        const Theme theme = themeFor(q->palette());
        stylePlot(*plot, theme);
        for (std::size_t i = 0; i < kDrawn.size(); ++i) {
            const QColor colour = seriesColour(theme, i);
            graphs[i]->setPen(QPen(colour, 2, i == 0 ? Qt::SolidLine : Qt::DashLine));
            graphs[i]->setScatterStyle(QCPScatterStyle(kMarks[i], colour, 7));
            intervals[i]->setPen(QPen(colour, 1));
        }
        here->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.accent, 2), Qt::NoBrush, 14));
        one->setPen(QPen(theme.mutedText, 1, Qt::DotLine));
        for (QCPItemStraightLine *line : crossings)
            line->setPen(QPen(theme.accent, 1, Qt::DashDotLine));
        plot->legend->setBrush(theme.canvas);
        plot->legend->setTextColor(theme.text);
        replot();
    }

    void replot() const { plot->replot(QCustomPlot::rpQueuedReplot); }

    void draw()
    {
        QCPRange gains(1, 1);
        for (std::size_t i = 0; i < kDrawn.size(); ++i) {
            QVector<double> sizes;
            QVector<double> values;
            QVector<double> below;
            QVector<double> above;
            for (const SizePoint &point : points) {
                const SpeedupEstimate &gain = point.gain(kDrawn[i]);
                const bool hasInterval = point.hasInterval();
                sizes << static_cast<double>(point.size);
                values << gain.speedup;
                below << (hasInterval ? gain.speedup - gain.low : 0);
                above << (hasInterval ? gain.high - gain.speedup : 0);
                gains.expand({gain.speedup - below.back(), gain.speedup + above.back()});
            }
            graphs[i]->setData(sizes, values, true);
            intervals[i]->setData(below, above);
        }
        drawCrossings();
        fit(gains);
        applyTheme();
    }

    void drawCrossings()
    {
        for (QCPItemStraightLine *line : std::exchange(crossings, {}))
            plot->removeItem(line);
        for (const SizeCrossing &each : crossingsOf(points, kSizeIos)) {
            auto *line = crossings.emplace_back(new QCPItemStraightLine(plot));
            line->point1->setCoords(each.at, 0);
            line->point2->setCoords(each.at, 1);
        }
    }

    void fit(const QCPRange &gains) const
    {
        if (points.empty())
            return;
        const auto least = static_cast<double>(points.front().size);
        const auto most = static_cast<double>(points.back().size);
        const bool isLog = most >= kLogSizesFrom * least;
        plot->xAxis->setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        plot->xAxis->setTicker(isLog ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                     : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        plot->xAxis->setLabel(parameter);
        const double factor = std::pow(std::max(most / least, 1.5), kSizeMargin);
        const double side = std::max(most - least, 1.0) * kSizeMargin;
        plot->xAxis->setRange(isLog ? QCPRange(least / factor, most * factor) : QCPRange(least - side, most + side));
        const double height = std::max(gains.size(), 0.05) * kSizeMargin;
        plot->yAxis->setRange(gains.lower - height, gains.upper + height);
    }

    [[nodiscard]] QPointF pixelOf(std::size_t point, std::size_t schedule) const
    {
        return {plot->xAxis->coordToPixel(static_cast<double>(points[point].size)),
                plot->yAxis->coordToPixel(points[point].gain(schedule).speedup)};
    }

    [[nodiscard]] std::optional<std::size_t> pointAt(QPointF at) const
    {
        std::optional<std::size_t> nearest;
        double best = kNearSize * kNearSize;
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (const std::size_t schedule : kDrawn) {
                const QPointF apart = pixelOf(i, schedule) - at;
                if (const double distance = QPointF::dotProduct(apart, apart); distance <= best) {
                    best = distance;
                    nearest = i;
                }
            }
        }
        return nearest;
    }

    void setCurrent(std::optional<std::size_t> point)
    {
        if (std::exchange(current, point) == point)
            return;
        if (point) {
            const SizePoint &shown = points[*point];
            here->setData({static_cast<double>(shown.size)}, {shown.gain(kSizeIos).speedup});
            const QString text = sizeText(shown, parameter);
            q->setAccessibleDescription(text);
            QToolTip::showText(plot->mapToGlobal(pixelOf(*point, kSizeIos).toPoint()),
                               text + QStringLiteral("\nClick or Enter opens the model at this size"), q);
        } else {
            here->setData(QVector<double>(), QVector<double>());
            QToolTip::hideText();
        }
        replot();
    }

    void step(std::ptrdiff_t by)
    {
        if (points.empty())
            return;
        const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
        const std::ptrdiff_t next =
            current ? std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(*current) + by, 0, last)
                    : (by > 0 ? 0 : last);
        setCurrent(static_cast<std::size_t>(next));
    }

    void choose(std::optional<std::size_t> point) const
    {
        if (point)
            emit q->chosen(points[*point].size);
    }
};

SizePlot::SizePlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
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
    setAccessibleName(QStringLiteral("Gain over Sequential against size"));
    setMinimumSize(160, 90);
    d.applyTheme();
    connect(d.plot, &QCustomPlot::mouseMove, this, [this](const QMouseEvent *event) {
        if (event->buttons() == Qt::NoButton)
            m_private->setCurrent(m_private->pointAt(event->position()));
    });
    connect(d.plot, &QCustomPlot::mouseRelease, this, [this](const QMouseEvent *event) {
        setFocus(Qt::MouseFocusReason);
        if (event->button() == Qt::LeftButton)
            m_private->choose(m_private->pointAt(event->position()));
    });
}

SizePlot::~SizePlot() = default;

void SizePlot::setPoints(std::vector<SizePoint> points, const QString &parameter)
{
    Private &d = *m_private;
    d.setCurrent(std::nullopt);
    d.points = std::move(points);
    d.parameter = parameter;
    d.draw();
}

const std::vector<SizePoint> &SizePlot::points() const
{
    return m_private->points;
}

std::optional<std::size_t> SizePlot::current() const
{
    return m_private->current;
}

QImage SizePlot::picture() const
{
    return m_private->plot->toPixmap(width(), height(), kPictureScale).toImage();
}

QPoint SizePlot::placeOf(std::size_t point, std::size_t schedule) const
{
    return m_private->plot->mapTo(this, m_private->pixelOf(point, schedule).toPoint());
}

QSize SizePlot::sizeHint() const
{
    return {470, 180};
}

bool SizePlot::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        m_private->applyTheme();
    return QWidget::event(event);
}

void SizePlot::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    const std::size_t count = d.points.size();
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: d.step(1); return;
    case Qt::Key_Left:
    case Qt::Key_Up: d.step(-1); return;
    case Qt::Key_Home: d.setCurrent(count > 0 ? std::optional<std::size_t>(0) : std::nullopt); return;
    case Qt::Key_End: d.setCurrent(count > 0 ? std::optional(count - 1) : std::nullopt); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: d.choose(d.current); return;
    case Qt::Key_Escape: d.setCurrent(std::nullopt); return;
    default: QWidget::keyPressEvent(event);
    }
}

void SizePlot::focusOutEvent(QFocusEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::focusOutEvent(event);
}

void SizePlot::leaveEvent(QEvent *event)
{
    m_private->setCurrent(std::nullopt);
    QWidget::leaveEvent(event);
}

} // namespace stagecraft
