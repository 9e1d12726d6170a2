#include "widgets/study/pruning_layers.h"

#include "widgets/base/plot_style.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kRadius = 4.5; // of a mark, in pixels
constexpr double kMark = 16;    // the size of its picture
constexpr double kWhisker = 3;  // half the width of a whisker's end

QCPRange rangeOf(const std::vector<double> &values, bool &found)
{
    found = !values.empty();
    if (!found)
        return {};
    const auto [least, most] = std::ranges::minmax_element(values);
    return {*least, *most};
}

} // namespace

QPainterPath markOf(StrategySet strategies, double radius)
{
    QPainterPath path;
    switch (strategies) {
    case StrategySet::Both: path.addEllipse(QPointF(), radius, radius); break;
    case StrategySet::Parallel:
        path.addPolygon(QPolygonF({{0, -1.2 * radius}, {1.15 * radius, 0.9 * radius}, {-1.15 * radius, 0.9 * radius}}));
        path.closeSubpath();
        break;
    case StrategySet::Merge: path.addRect(-0.9 * radius, -0.9 * radius, 1.8 * radius, 1.8 * radius); break;
    case StrategySet::All:
        path.addPolygon(QPolygonF({{0, -1.3 * radius}, {1.3 * radius, 0}, {0, 1.3 * radius}, {-1.3 * radius, 0}}));
        path.closeSubpath();
        break;
    }
    return path;
}

QColor colourOf(const Theme &theme, StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Both: return seriesColour(theme, 0);
    case StrategySet::Parallel: return seriesColour(theme, 1);
    case StrategySet::Merge: return seriesColour(theme, 2);
    case StrategySet::All: return seriesColour(theme, 3);
    }
    return {};
}

double PruningLayers::yOf(double latencyUs) const
{
    return valueAxis()->coordToPixel(latencyUs / unitUs);
}

QPointF PruningLayers::pixelOf(std::size_t point) const
{
    return {keyAxis()->coordToPixel(points[point].cost(cost)), yOf(points[point].latencyUs)};
}

QPointF PruningLayers::pixelOf(const PublishedPoint &point) const
{
    return {keyAxis()->coordToPixel(point.seconds), yOf(point.latencyUs)};
}

bool PruningLayers::isSelected(std::size_t point) const
{
    return std::ranges::find(selected, points[point].point) != selected.end();
}

QCPRange PruningLayers::getKeyRange(bool &found, QCP::SignDomain) const
{
    std::vector<double> values;
    for (const PlottedPoint &point : points)
        values.push_back(point.cost(cost));
    for (std::size_t i = 0; showsPublished() && i < published.size(); ++i)
        values.push_back(published[i].seconds);
    return rangeOf(values, found);
}

QCPRange PruningLayers::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    std::vector<double> values;
    for (const PlottedPoint &point : points) {
        values.push_back((point.latencyUs - point.halfWidthUs) / unitUs);
        values.push_back((point.latencyUs + point.halfWidthUs) / unitUs);
    }
    for (std::size_t i = 0; showsPublished() && i < published.size(); ++i)
        values.push_back(published[i].latencyUs / unitUs);
    return rangeOf(values, found);
}

void PruningLayers::draw(QCPPainter *painter)
{
    painter->setAntialiasing(true);
    m_labels.clear();
    if (showsEqualR)
        drawLines(*painter, EqualBound::R);
    if (showsEqualS)
        drawLines(*painter, EqualBound::S);
    drawFront(*painter);
    if (showsPublished())
        drawPublished(*painter);
    const Marks drawn = marks(parentPlot()->devicePixelRatioF());
    for (std::size_t i = 0; i < points.size(); ++i)
        drawPoint(*painter, drawn, i);
    if (showsBounds)
        drawBounds(*painter);
    if (current && *current < points.size()) {
        drawPoint(*painter, drawn, *current);
        painter->setPen(QPen(theme.text, 1.5));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(pixelOf(*current), 2 * kRadius, 2 * kRadius);
    }
}

// Right of the place, or left of it at the edge; left out where it would cover another one.
void PruningLayers::drawLabel(QCPPainter &painter, QPointF at, const QString &text)
{
    constexpr double kApart = kRadius + 4;
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(text);
    const bool fits = at.x() + kApart + width < keyAxis()->axisRect()->right();
    const QPointF start(fits ? at.x() + kApart : at.x() - kApart - width, at.y() + kRadius);
    const QRectF place(start.x(), start.y() - metrics.ascent(), width, metrics.height());
    if (std::ranges::any_of(m_labels, [&](const QRectF &label) { return label.intersects(place); }))
        return;
    m_labels.push_back(place);
    painter.setPen(theme.mutedText);
    painter.drawText(start, text);
}

// Lines of equal r are solid, those of equal s dashed; the bound stands at the end.
void PruningLayers::drawLines(QCPPainter &painter, EqualBound equal)
{
    for (const auto &line : linesOf(points, equal)) {
        QColor colour = colourOf(theme, points[line.front()].point.strategies);
        colour.setAlphaF(0.55F);
        painter.setPen(QPen(colour, 1, equal == EqualBound::R ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        QPolygonF pixels;
        for (const std::size_t point : line)
            pixels << pixelOf(point);
        painter.drawPolyline(pixels);
        const PruningPoint &last = points[line.back()].point;
        drawLabel(painter, pixels.back() - QPointF(0, 2 * kRadius),
                  equal == EqualBound::R ? QStringLiteral("r %1").arg(last.r) : QStringLiteral("s %1").arg(last.s));
    }
}

// A staircase: beyond a point of the front, its latency is the best for the cost.
void PruningLayers::drawFront(QCPPainter &painter) const
{
    const std::vector<bool> isOnFront = frontOf(points, cost);
    std::vector<QPointF> corners;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (isOnFront[i])
            corners.push_back(pixelOf(i));
    }
    std::ranges::sort(corners, {}, &QPointF::x);
    if (corners.empty())
        return;
    QPolygonF stairs;
    for (const QPointF &corner : corners) {
        if (!stairs.isEmpty())
            stairs << QPointF(corner.x(), stairs.back().y());
        stairs << corner;
    }
    stairs << QPointF(keyAxis()->axisRect()->right(), stairs.back().y());
    painter.setPen(QPen(theme.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(stairs);
}

// Diamonds with r and s, and a line at the top that says whose they are.
void PruningLayers::drawPublished(QCPPainter &painter)
{
    const auto drawDiamond = [&](QPointF at, const QString &text) {
        constexpr double kHalf = kRadius + 1;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.mutedText, 1.5));
        painter.drawPolygon(QPolygonF(
            {at + QPointF(0, -kHalf), at + QPointF(kHalf, 0), at + QPointF(0, kHalf), at + QPointF(-kHalf, 0)}));
        drawLabel(painter, at, text);
    };
    for (const PublishedPoint &point : published)
        drawDiamond(pixelOf(point), QStringLiteral("%1, %2").arg(point.r).arg(point.s));
    const QString legend = QStringLiteral("r, s of %1").arg(publishedBy);
    const double width = painter.fontMetrics().horizontalAdvance(legend);
    drawDiamond(QPointF(keyAxis()->axisRect()->right() - width - 16, keyAxis()->axisRect()->top() + 10), legend);
}

// Above the points; those in the same place share a label.
void PruningLayers::drawBounds(QCPPainter &painter)
{
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto isHere = [&, at = pixelOf(i)](std::size_t other) {
            return (pixelOf(other) - at).manhattanLength() < 1;
        };
        QStringList bounds;
        bool isFirst = true;
        for (std::size_t other = 0; other < points.size(); ++other) {
            if (!isHere(other))
                continue;
            isFirst = isFirst && other >= i;
            bounds << QStringLiteral("%1, %2").arg(points[other].point.r).arg(points[other].point.s);
        }
        bounds.removeDuplicates();
        if (isFirst)
            drawLabel(painter, pixelOf(i) - QPointF(0, 2 * kRadius + 2), bounds.join(QStringLiteral(" and ")));
    }
}

// Marks of single-source spaces are hollow.
void PruningLayers::drawMark(QPainter &painter, QPointF at, const PruningPoint &point) const
{
    const QColor colour = colourOf(theme, point.strategies);
    painter.setPen(point.singleSource ? QPen(colour, 1.5) : QPen(theme.canvas, 1));
    painter.setBrush(point.singleSource ? theme.canvas : colour);
    painter.drawPath(markOf(point.strategies, kRadius).translated(at));
}

// Drawn once, then copied: a study may have thousands of points.
PruningLayers::Marks PruningLayers::marks(double pixelRatio) const
{
    Marks made;
    for (const StrategySet strategies : {StrategySet::Both, StrategySet::Parallel, StrategySet::Merge}) {
        for (const bool isHollow : {false, true}) {
            QPixmap pixmap((QSizeF(kMark, kMark) * pixelRatio).toSize());
            pixmap.setDevicePixelRatio(pixelRatio);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            drawMark(painter, {kMark / 2, kMark / 2}, {.strategies = strategies, .singleSource = isHollow});
            made[{strategies, isHollow}] = pixmap;
        }
    }
    return made;
}

// Selected points have an outline.
void PruningLayers::drawPoint(QCPPainter &painter, const Marks &marks, std::size_t point) const
{
    const PlottedPoint &shown = points[point];
    const QPointF at = pixelOf(point);
    if (shown.halfWidthUs > 0) {
        const double top = yOf(shown.latencyUs + shown.halfWidthUs);
        const double bottom = yOf(shown.latencyUs - shown.halfWidthUs);
        painter.setPen(QPen(colourOf(theme, shown.point.strategies), 1));
        painter.drawLine(QPointF(at.x(), top), QPointF(at.x(), bottom));
        for (const double end : {top, bottom})
            painter.drawLine(QPointF(at.x() - kWhisker, end), QPointF(at.x() + kWhisker, end));
    }
    if (isSelected(point)) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(markOf(shown.point.strategies, kRadius + 3).translated(at));
    }
    if (painter.modes().testFlag(QCPPainter::pmNoCaching)) // a picture of any size
        drawMark(painter, at, shown.point);
    else
        painter.drawPixmap(at - QPointF(kMark / 2, kMark / 2),
                           marks.at({shown.point.strategies, shown.point.singleSource}));
}

} // namespace stagecraft
