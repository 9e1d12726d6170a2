#include "widgets/timeline/time_overlay.h"

#include "widgets/base/format.h"

#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace stagecraft {

TimeOverlay::TimeOverlay(QCustomPlot *plot) : QCPLayerable(plot, QStringLiteral("overlay")) {}

void TimeOverlay::applyDefaultAntialiasingHint(QCPPainter *painter) const
{
    painter->setAntialiasing(false);
}

QRect TimeOverlay::clipRect() const
{
    QRect area;
    for (const QCPAxisRect *rect : parentPlot()->axisRects())
        area = area.united(rect->rect());
    return area;
}

double TimeOverlay::pixelOf(double us) const
{
    return parentPlot()->axisRects().front()->axis(QCPAxis::atBottom)->coordToPixel(us);
}

void TimeOverlay::draw(QCPPainter *painter)
{
    if (parentPlot()->axisRects().isEmpty())
        return;
    const QRectF area(clipRect());
    drawFound(*painter, area);
    drawRange(*painter, area);
    drawMarks(*painter, area);
}

void TimeOverlay::drawRange(QCPPainter &painter, const QRectF &area) const
{
    if (!over.range)
        return;
    const double left = std::clamp(pixelOf(over.range->lower), area.left(), area.right() + 1);
    const double right = std::clamp(pixelOf(over.range->upper), area.left(), area.right() + 1);
    QColor outside = theme.canvas;
    outside.setAlphaF(0.55F);
    painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), outside);
    painter.fillRect(QRectF(right, area.top(), area.right() + 1 - right, area.height()), outside);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(QLineF(left, area.top(), left, area.bottom()));
    painter.drawLine(QLineF(right, area.top(), right, area.bottom()));
    const QString length = latencyText(over.range->size());
    const double width = painter.fontMetrics().horizontalAdvance(length) + 8;
    QRectF box(std::clamp((left + right - width) / 2, area.left(), std::max(area.left(), area.right() - width)),
               area.bottom() - painter.fontMetrics().height() - 1, width, painter.fontMetrics().height() + 1);
    painter.fillRect(box, theme.accent);
    painter.setPen(theme.onFill(theme.accent));
    painter.drawText(box, Qt::AlignCenter, length);
}

void TimeOverlay::drawMarks(QCPPainter &painter, const QRectF &area) const
{
    double freeFrom = area.left(); // of earlier marks' names
    for (std::size_t i = 0; i < over.marks.size(); ++i) {
        const double x = pixelOf(over.marks[i]);
        if (x < area.left() || x > area.right())
            continue;
        painter.setPen(QPen(theme.warning, 1, Qt::DashLine));
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()));
        // The distance to the mark before it says more than its place.
        const QString text =
            i == 0 ? latencyText(over.marks[i]) : QLatin1Char('+') + latencyText(over.marks[i] - over.marks[i - 1]);
        const double width = painter.fontMetrics().horizontalAdvance(text) + 8;
        const QRectF box(std::min(x, area.right() - width), area.bottom() - 2 * painter.fontMetrics().height() - 4,
                         width, painter.fontMetrics().height());
        if (box.left() < freeFrom)
            continue;
        freeFrom = box.right();
        painter.fillRect(box, theme.panel);
        painter.setPen(theme.warning);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
        painter.setPen(theme.text);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

// A triangle at the top of each, one a pixel at most.
void TimeOverlay::drawFound(QCPPainter &painter, const QRectF &area) const
{
    const auto draw = [&](double us, const QColor &colour) {
        const double x = std::round(pixelOf(us));
        if (x < area.left() || x > area.right())
            return;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(
            QPolygonF({QPointF(x - 4, area.top()), QPointF(x + 4, area.top()), QPointF(x, area.top() + 7)}));
        QColor line = colour;
        line.setAlphaF(0.5F);
        painter.fillRect(QRectF(x, area.top(), 1, area.height()), line);
    };
    const QCPAxis *time = parentPlot()->axisRects().front()->axis(QCPAxis::atBottom);
    auto next = std::ranges::lower_bound(over.found, time->range().lower);
    while (next != over.found.end() && *next <= time->range().upper) {
        draw(*next, theme.warning);
        const double pixelEnd = time->pixelToCoord(std::round(pixelOf(*next)) + 0.5);
        next = std::lower_bound(next + 1, over.found.end(), pixelEnd);
    }
    if (over.current)
        draw(*over.current, theme.accent);
}

} // namespace stagecraft
