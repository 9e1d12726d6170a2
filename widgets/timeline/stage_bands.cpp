#include "widgets/timeline/kernel_rows.h"

#include <QImage>
#include <QRegion>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stagecraft {
namespace {

constexpr double kBarrierWidth = 3; // pixels from which a barrier is drawn
constexpr double kNumberWidth = 8;  // pixels from which a stage has an edge and may have a number

} // namespace

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

// Bands and barriers are one line of pixels, stretched over the height: thousands of tall fills would take most of a
// frame. In a picture of any size they are fills.
void StageBands::draw(QCPPainter *painter)
{
    const QRect area = keyAxis()->axisRect()->rect();
    if (!index || area.isEmpty())
        return;
    painter->setAntialiasing(false);
    const std::vector<StageSpan> &stages = index->timeline().stages;
    const auto pixelOf = [&](std::int64_t ns) { return keyAxis()->coordToPixel(microseconds(ns)); };
    const bool isOfAnySize = painter->modes().testFlag(QCPPainter::pmNoCaching);
    QImage line(area.width(), 1, QImage::Format_ARGB32_Premultiplied);
    line.fill(Qt::transparent);
    auto *pixels = reinterpret_cast<QRgb *>(line.scanLine(0));
    const auto fill = [&](double left, double right, const QColor &colour) {
        if (isOfAnySize) {
            painter->fillRect(QRectF(left, area.top(), right - left, area.height()), colour);
            return;
        }
        const int from = std::max(area.left(), static_cast<int>(std::lround(left)));
        const int to = std::min(area.right() + 1, std::max(from + 1, static_cast<int>(std::lround(right))));
        for (int x = from; x < to; ++x)
            pixels[x - area.left()] = qPremultiply(colour.rgba());
    };
    QColor standing = theme.mutedText;
    standing.setAlphaF(0.16F);
    std::vector<std::size_t> wide;
    QRegion barriers;
    std::size_t place = index->firstStageEndingAfter(nanoseconds(keyAxis()->pixelToCoord(area.left())));
    if (place > 0)
        --place; // the barrier after it may be in sight
    while (place < stages.size()) {
        const double left = pixelOf(stages[place].startNs);
        const double right = pixelOf(stages[place].endNs);
        if (left > area.right())
            break;
        QColor band = theme.stageFill(stages[place].stage);
        band.setAlphaF(selected == stages[place].stage ? 0.42F : 0.16F);
        if (right >= area.left())
            fill(left, right, band);
        if (right - left > kNumberWidth)
            wide.push_back(place);
        const TimeRange barrier = index->barrierAfter(place);
        const double barrierLeft = pixelOf(barrier.fromNs);
        const double barrierRight = pixelOf(barrier.toNs);
        if (barrierRight - barrierLeft >= kBarrierWidth && barrierRight >= area.left() && barrierLeft <= area.right()) {
            fill(barrierLeft, barrierRight, standing);
            barriers += QRectF(barrierLeft, area.top(), barrierRight - barrierLeft, area.height()).toAlignedRect();
        }
        // Of stages narrower than a pixel, one a pixel.
        const std::size_t next = right - left >= 1
                                     ? place + 1
                                     : index->firstStageEndingAfter(nanoseconds(keyAxis()->pixelToCoord(left + 1)));
        place = std::max(place + 1, next);
    }
    if (!isOfAnySize)
        painter->drawImage(QRectF(area), line);
    hatch(*painter, barriers);
    for (const std::size_t each : wide)
        drawEdge(*painter, each);
    drawSelected(*painter);
}

// Over all rows: no kernel runs.
void StageBands::hatch(QCPPainter &painter, const QRegion &barriers) const
{
    if (barriers.isEmpty())
        return;
    QColor colour = theme.mutedText;
    colour.setAlphaF(0.5F);
    for (const QRect &barrier : barriers)
        painter.fillRect(barrier, QBrush(colour, Qt::FDiagPattern));
}

void StageBands::drawEdge(QCPPainter &painter, std::size_t place) const
{
    const StageSpan &stage = index->timeline().stages[place];
    const QRectF area(keyAxis()->axisRect()->rect());
    const double left = keyAxis()->coordToPixel(microseconds(stage.startNs));
    const double right = keyAxis()->coordToPixel(microseconds(stage.endNs));
    painter.setPen(theme.grid);
    if (left >= area.left())
        painter.drawLine(QLineF(left, area.top(), left, area.bottom()));
    const QString number = QString::number(stage.stage + 1);
    if (!numbered || right - left <= painter.fontMetrics().horizontalAdvance(number) + 4)
        return;
    const double from = std::max(left, area.left());
    const double to = std::min(right, area.right());
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(from, area.top(), to - from, 13), Qt::AlignCenter, number);
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
