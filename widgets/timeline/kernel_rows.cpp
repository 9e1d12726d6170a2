#include "widgets/timeline/kernel_rows.h"

#include "timeline/timeline_rows.h"
#include "widgets/shown_name.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kRowFill = 0.8;         // share of the distance between streams
constexpr double kNarrowestNumber = 8.0; // narrower bands have no space for a digit

QCPRange wholeTime(const std::shared_ptr<const Timeline> &timeline, bool &found)
{
    found = timeline != nullptr;
    return found ? QCPRange(0, microseconds(timeline->durationNs)) : QCPRange();
}

} // namespace

QCPRange StageBands::getKeyRange(bool &found, QCP::SignDomain) const
{
    return wholeTime(timeline, found);
}

QCPRange StageBands::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = false;
    return {};
}

void StageBands::draw(QCPPainter *painter)
{
    if (!timeline)
        return;
    painter->setAntialiasing(false);
    const QRect area = keyAxis()->axisRect()->rect();
    for (const StageSpan &span : timeline->stages) {
        const double left = keyAxis()->coordToPixel(microseconds(span.startNs));
        const double right = keyAxis()->coordToPixel(microseconds(span.endNs));
        if (right < area.left() || left > area.right())
            continue;
        const QRect band = QRectF(left, area.top(), right - left, area.height()).toRect().intersected(area);
        painter->fillRect(band, mixed(theme.canvas, theme.stageFill(span.stage), selected == span.stage ? 0.42 : 0.16));
        if (right - left > 3) {
            painter->setPen(theme.grid);
            painter->drawLine(QLineF(left, area.top(), left, area.bottom()));
        }
        const QString number =
            numbered && right - left > kNarrowestNumber ? QString::number(span.stage + 1) : QString();
        if (!number.isEmpty() && right - left > painter->fontMetrics().horizontalAdvance(number) + 4) {
            painter->setPen(theme.mutedText);
            const double from = std::max<double>(left, area.left());
            const double to = std::min<double>(right, area.right());
            painter->drawText(QRectF(from, area.top(), to - from, 13), Qt::AlignCenter, number);
        }
        if (selected == span.stage) {
            painter->setPen(QPen(theme.accent, 1));
            painter->drawLine(QLineF(left, area.top(), left, area.bottom()));
            painter->drawLine(QLineF(right, area.top(), right, area.bottom()));
        }
    }
}

QRectF KernelRows::rectOf(const KernelSpan &kernel) const
{
    return rectOn(kernel, kernel.stream);
}

QRectF KernelRows::rectOn(const KernelSpan &kernel, std::size_t rowIndex) const
{
    const double left = keyAxis()->coordToPixel(microseconds(kernel.startNs));
    const double right = keyAxis()->coordToPixel(microseconds(kernel.endNs));
    const auto row = static_cast<double>(rowIndex);
    const double top = valueAxis()->coordToPixel(row - kRowFill / 2);
    const double bottom = valueAxis()->coordToPixel(row + kRowFill / 2);
    return {left, std::min(top, bottom), std::max(1.0, right - left), std::abs(bottom - top)};
}

const KernelSpan *KernelRows::kernelAt(QPointF pixel) const
{
    if (!timeline)
        return nullptr;
    // Half a pixel of tolerance on each side: many kernels are narrower than a pixel.
    for (const KernelSpan &kernel : timeline->kernels) {
        const TimelineRows rows = rowsOf(kernel, *timeline);
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
            if (rectOn(kernel, row).adjusted(-0.5, 0, 0.5, 0).contains(pixel))
                return &kernel;
        }
    }
    return nullptr;
}

QCPRange KernelRows::getKeyRange(bool &found, QCP::SignDomain) const
{
    return wholeTime(timeline, found);
}

QCPRange KernelRows::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = timeline != nullptr;
    return found ? QCPRange(-0.5, static_cast<double>(timeline->streams) - 0.5) : QCPRange();
}

bool KernelRows::isSelected(const KernelSpan &kernel) const
{
    if (selected.op)
        return std::find(kernel.operators.begin(), kernel.operators.end(), *selected.op) != kernel.operators.end();
    return selected.stage == kernel.stage;
}

void KernelRows::draw(QCPPainter *painter)
{
    if (!timeline)
        return;
    painter->setAntialiasing(false);
    for (const KernelSpan &kernel : timeline->kernels) {
        const TimelineRows rows = rowsOf(kernel, *timeline);
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row)
            drawBox(*painter, kernel, rectOn(kernel, row));
    }
}

void KernelRows::drawBox(QCPPainter &painter, const KernelSpan &kernel, const QRectF &rect) const
{
    const QRect area = keyAxis()->axisRect()->rect();
    if (rect.right() < area.left() || rect.left() > area.right())
        return;
    const QColor fill = theme.stageFill(kernel.stage);
    painter.fillRect(rect, fill);
    if (rect.width() > 3) {
        painter.setPen(theme.stageOutline(kernel.stage));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    const QRectF inner = rect.intersected(QRectF(area)).adjusted(4, 0, -3, 0);
    if (inner.width() > 26 && inner.height() >= painter.fontMetrics().height() - 3) {
        painter.setPen(theme.onFill(fill));
        painter.drawText(
            inner, Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(shownName(kernel.name), Qt::ElideRight, static_cast<int>(inner.width())));
    }
    if (isSelected(kernel)) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
}

} // namespace stagecraft
