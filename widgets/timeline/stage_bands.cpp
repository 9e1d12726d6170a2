#include "widgets/timeline/kernel_rows.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kBarrierWidth = 3;    // pixels from which a barrier is drawn
constexpr double kNarrowestNumber = 8; // pixels from which a band may have space for a digit

}

QCPRange StageBands::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = index != nullptr;
    return found ? QCPRange(0, microseconds(index->timeline().durationNs)) : QCPRange();
}

QCPRange StageBands::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = false;
    return {};
}

void StageBands::draw(QCPPainter *painter)
{
    if (!index)
        return;
    painter->setAntialiasing(false);
    const QRect area = keyAxis()->axisRect()->rect();
    const std::vector<StageSpan> &stages = index->timeline().stages;
    const auto usAt = [&](double x) { return keyAxis()->pixelToCoord(x); };
    std::size_t place = index->firstStageEndingAfter(nanoseconds(usAt(area.left())));
    if (place > 0)
        drawBarrier(*painter, place - 1);
    while (place < stages.size()) {
        const double left = keyAxis()->coordToPixel(microseconds(stages[place].startNs));
        const double right = keyAxis()->coordToPixel(microseconds(stages[place].endNs));
        if (left > area.right())
            break;
        drawStage(*painter, place, left, right);
        drawBarrier(*painter, place);
        // Of stages narrower than a pixel, one a pixel.
        const std::size_t next =
            right - left >= 1 ? place + 1 : index->firstStageEndingAfter(nanoseconds(usAt(left + 1)));
        place = std::max(place + 1, next);
    }
    drawSelected(*painter);
}

void StageBands::drawStage(QCPPainter &painter, std::size_t place, double left, double right) const
{
    const QRectF area(keyAxis()->axisRect()->rect());
    const std::size_t stage = index->timeline().stages[place].stage;
    const double from = std::max(left, area.left());
    const double to = std::min(std::max(right, left + 1), area.right() + 1);
    const QColor band = mixed(theme.canvas, theme.stageFill(stage), selected == stage ? 0.42 : 0.16);
    painter.fillRect(QRectF(from, area.top(), to - from, area.height()).toRect(), band);
    if (right - left > 3) {
        painter.setPen(theme.grid);
        painter.drawLine(QLineF(left, area.top(), left, area.bottom()));
    }
    const QString number = numbered && right - left > kNarrowestNumber ? QString::number(stage + 1) : QString();
    if (!number.isEmpty() && right - left > painter.fontMetrics().horizontalAdvance(number) + 4) {
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(from, area.top(), to - from, 13), Qt::AlignCenter, number);
    }
}

// Over all rows: no kernel runs.
void StageBands::drawBarrier(QCPPainter &painter, std::size_t place) const
{
    const TimeRange barrier = index->barrierAfter(place);
    const QRectF area(keyAxis()->axisRect()->rect());
    const double left = std::max(area.left(), keyAxis()->coordToPixel(microseconds(barrier.fromNs)));
    const double right = std::min(area.right() + 1, keyAxis()->coordToPixel(microseconds(barrier.toNs)));
    if (right - left < kBarrierWidth)
        return;
    QColor colour = theme.mutedText;
    colour.setAlphaF(0.14F);
    painter.fillRect(QRectF(left, area.top(), right - left, area.height()), colour);
    colour.setAlphaF(0.5F);
    painter.fillRect(QRectF(left, area.top(), right - left, area.height()), QBrush(colour, Qt::FDiagPattern));
}

void StageBands::drawSelected(QCPPainter &painter) const
{
    const QRectF area(keyAxis()->axisRect()->rect());
    const auto edges = [&](std::int64_t fromNs, std::int64_t toNs, Qt::PenStyle style) {
        painter.setPen(QPen(theme.accent, 1, style));
        for (const std::int64_t ns : {fromNs, toNs}) {
            const double x = keyAxis()->coordToPixel(microseconds(ns));
            if (x >= area.left() && x <= area.right())
                painter.drawLine(QLineF(x, area.top(), x, area.bottom()));
        }
    };
    if (const auto place = selected ? index->stagePlace(*selected) : std::nullopt) {
        const StageSpan &span = index->timeline().stages[*place];
        edges(span.startNs, span.endNs, Qt::SolidLine);
    }
    if (!block)
        return;
    edges(block->fromNs, block->toNs, Qt::DashLine);
    const double left = std::max(area.left(), keyAxis()->coordToPixel(microseconds(block->fromNs)));
    const double right = std::min(area.right(), keyAxis()->coordToPixel(microseconds(block->toNs)));
    if (right > left)
        painter.fillRect(QRectF(left, area.top(), right - left, 2), theme.accent);
}

} // namespace stagecraft
