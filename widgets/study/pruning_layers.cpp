#include "widgets/study/pruning_layers.h"

#include "widgets/charts/plot_style.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kRadius = 4.5; // of a mark, in pixels
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
    }
    return path;
}

QColor colourOf(const Theme &theme, StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Both: return seriesColour(theme, 0);
    case StrategySet::Parallel: return seriesColour(theme, 1);
    case StrategySet::Merge: return seriesColour(theme, 2);
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
    if (showsEqualR)
        drawLines(*painter, EqualBound::R);
    if (showsEqualS)
        drawLines(*painter, EqualBound::S);
    drawFront(*painter);
    if (showsPublished())
        drawPublished(*painter);
    for (std::size_t i = 0; i < points.size(); ++i)
        drawPoint(*painter, i);
    if (current && *current < points.size()) {
        drawPoint(*painter, *current);
        painter->setPen(QPen(theme.text, 1.5));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(pixelOf(*current), 2 * kRadius, 2 * kRadius);
    }
}

// Lines of equal r are solid, those of equal s dashed; the bound stands at the end.
void PruningLayers::drawLines(QCPPainter &painter, EqualBound equal) const
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
        painter.setPen(theme.mutedText);
        painter.drawText(pixels.back() + QPointF(kRadius + 3, -kRadius), equal == EqualBound::R
                                                                             ? QStringLiteral("r %1").arg(last.r)
                                                                             : QStringLiteral("s %1").arg(last.s));
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

void PruningLayers::drawPublished(QCPPainter &painter) const
{
    painter.setBrush(Qt::NoBrush);
    for (const PublishedPoint &point : published) {
        const QPointF at = pixelOf(point);
        painter.setPen(QPen(theme.mutedText, 1.5));
        painter.drawPolygon(QPolygonF({at + QPointF(0, -kRadius - 1), at + QPointF(kRadius + 1, 0),
                                       at + QPointF(0, kRadius + 1), at + QPointF(-kRadius - 1, 0)}));
        painter.drawText(at + QPointF(kRadius + 4, kRadius), QStringLiteral("%1, %2").arg(point.r).arg(point.s));
    }
}

// Single-source spaces have hollow marks; selected points an outline.
void PruningLayers::drawPoint(QCPPainter &painter, std::size_t point) const
{
    const PlottedPoint &shown = points[point];
    const QPointF at = pixelOf(point);
    const QColor colour = colourOf(theme, shown.point.strategies);
    if (shown.halfWidthUs > 0) {
        const double top = yOf(shown.latencyUs + shown.halfWidthUs);
        const double bottom = yOf(shown.latencyUs - shown.halfWidthUs);
        painter.setPen(QPen(colour, 1));
        painter.drawLine(QPointF(at.x(), top), QPointF(at.x(), bottom));
        for (const double end : {top, bottom})
            painter.drawLine(QPointF(at.x() - kWhisker, end), QPointF(at.x() + kWhisker, end));
    }
    if (isSelected(point)) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(markOf(shown.point.strategies, kRadius + 3).translated(at));
    }
    painter.setPen(QPen(shown.point.singleSource ? colour : theme.canvas, shown.point.singleSource ? 1.5 : 1));
    painter.setBrush(shown.point.singleSource ? theme.canvas : colour);
    painter.drawPath(markOf(shown.point.strategies, kRadius).translated(at));
}

} // namespace stagecraft
