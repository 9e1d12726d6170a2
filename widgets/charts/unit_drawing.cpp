#include "widgets/charts/unit_drawing.h"

#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {
namespace {

constexpr double kRowShare = 0.84;   // of its height that a row's rTasks take
constexpr double kLeastNamed = 26;   // pixels: narrower rTasks carry no name
constexpr double kLeastOutline = 4;  // likewise no outline
constexpr double kRKernelMark = 4.5; // radius in pixels
constexpr double kRKernelReach = 9;  // pixels around a mark that hit it

} // namespace

QColor DrawnUnits::colourOf(const Theme &theme, std::uint32_t rOperator) const
{
    std::vector<OperatorId> operators; // each once, in order, so that neighbours differ
    for (const TimedROperator &one : fused.rOperators) {
        if (std::ranges::find(operators, one.op) == operators.end())
            operators.push_back(one.op);
    }
    const auto place = std::ranges::find(operators, fused.rOperators[rOperator].op) - operators.begin();
    return theme.stageFill(static_cast<std::size_t>(place));
}

QString DrawnUnits::nameOf(std::uint32_t rOperator) const
{
    return shownName(graph->op(fused.rOperators[rOperator].op).name);
}

QString DrawnUnits::unitsText(std::size_t row) const
{
    const std::int64_t first = firstUnit(row);
    const std::int64_t count = fused.rows[row].units;
    return count == 1 ? QStringLiteral("unit %1").arg(first)
                      : QStringLiteral("units %1 to %2").arg(first).arg(first + count - 1);
}

QString DrawnUnits::numbersText(std::size_t row) const
{
    const std::int64_t first = firstUnit(row);
    const std::int64_t count = fused.rows[row].units;
    return count == 1 ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(first + count - 1);
}

std::int64_t DrawnUnits::firstUnit(std::size_t row) const
{
    const auto end = fused.rows.begin() + static_cast<std::ptrdiff_t>(row);
    return std::accumulate(fused.rows.begin(), end, std::int64_t{1},
                           [](std::int64_t sum, const UnitRow &other) { return sum + other.units; });
}

QCPRange UnitRows::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = units != nullptr;
    return found ? QCPRange(0, units->lengthUs()) : QCPRange();
}

QCPRange UnitRows::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = units != nullptr;
    return found ? QCPRange(-0.5, static_cast<double>(units->fused.rows.size()) - 0.5) : QCPRange();
}

QRectF UnitRows::rectOf(std::size_t row, std::int64_t fromNs, std::int64_t toNs) const
{
    const double left = keyAxis()->coordToPixel(units->us(fromNs));
    const double right = keyAxis()->coordToPixel(units->us(toNs));
    const double middle = static_cast<double>(row);
    const double one = valueAxis()->coordToPixel(middle - kRowShare / 2);
    const double other = valueAxis()->coordToPixel(middle + kRowShare / 2);
    return {left, std::min(one, other), std::max(1.0, right - left), std::max(1.0, std::abs(other - one))};
}

void UnitRows::draw(QCPPainter *painter)
{
    if (!units)
        return;
    painter->setAntialiasing(false);
    for (std::size_t row = 0; row < units->fused.rows.size(); ++row) {
        std::int64_t reachedNs = units->fromNs;
        for (const UnitTask &task : units->fused.rows[row].tasks) {
            if (task.startNs > reachedNs)
                drawWait(*painter, rectOf(row, reachedNs, task.startNs));
            drawTask(*painter, row, task);
            reachedNs = std::max(reachedNs, task.endNs);
        }
    }
}

void UnitRows::drawWait(QCPPainter &painter, const QRectF &rect) const
{
    QColor hatch = theme.mutedText;
    hatch.setAlphaF(0.55F);
    painter.fillRect(rect, QBrush(hatch, Qt::BDiagPattern));
}

void UnitRows::drawTask(QCPPainter &painter, std::size_t row, const UnitTask &task) const
{
    const QRectF rect = rectOf(row, task.startNs, task.endNs);
    const QColor fill = units->colourOf(theme, task.rOperator);
    painter.fillRect(rect, fill);
    const bool isSelected = units->selected == units->fused.rOperators[task.rOperator].op;
    if (isSelected || (rect.width() > kLeastOutline && rect.height() > kLeastOutline)) {
        painter.setPen(isSelected ? QPen(theme.accent, 2) : QPen(theme.canvas, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    const QRectF inner = rect.intersected(keyAxis()->axisRect()->rect()).adjusted(3, 0, -3, 0);
    const QFontMetricsF metrics(painter.font());
    if (inner.width() < kLeastNamed || inner.height() < metrics.height())
        return;
    painter.setPen(theme.onFill(fill));
    painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     metrics.elidedText(units->nameOf(task.rOperator), Qt::ElideMiddle, inner.width()));
}

std::optional<UnitHit> UnitRows::hitAt(QPointF point) const
{
    if (!units || !keyAxis()->axisRect()->rect().contains(point.toPoint()))
        return std::nullopt;
    for (std::size_t row = 0; row < units->fused.rows.size(); ++row) {
        const auto &tasks = units->fused.rows[row].tasks;
        std::int64_t reachedNs = units->fromNs;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (rectOf(row, tasks[i].startNs, tasks[i].endNs).contains(point))
                return UnitHit{row, i, tasks[i].startNs, tasks[i].endNs};
            if (tasks[i].startNs > reachedNs && rectOf(row, reachedNs, tasks[i].startNs).contains(point))
                return UnitHit{row, std::nullopt, reachedNs, tasks[i].startNs};
            reachedNs = tasks[i].endNs;
        }
    }
    return std::nullopt;
}

QPointF RKernelMarks::centreOf(const TimedRKernel &rKernel) const
{
    return {keyAxis()->coordToPixel(100 * rKernel.deviceShare), valueAxis()->coordToPixel(rKernel.aloneNs / 1000)};
}

QCPRange RKernelMarks::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = units != nullptr;
    return {0, 100};
}

QCPRange RKernelMarks::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = false;
    QCPRange range(0, 0);
    if (!units)
        return range;
    for (const TimedROperator &one : units->fused.rOperators) {
        for (const TimedRKernel &rKernel : one.rKernels) {
            found = found || rKernel.aloneNs > 0;
            range.upper = std::max(range.upper, rKernel.aloneNs / 1000);
        }
    }
    return range;
}

void RKernelMarks::draw(QCPPainter *painter)
{
    if (!units)
        return;
    painter->setAntialiasing(true);
    const auto drawOne = [&](std::uint32_t index) {
        const TimedROperator &one = units->fused.rOperators[index];
        const bool isSelected = units->selected == one.op;
        const QColor fill = units->colourOf(theme, index);
        const QColor outline = isSelected ? theme.accent : mixed(fill, theme.text, 0.45);
        painter->setPen(QPen(outline, isSelected ? 2 : 1));
        painter->setBrush(Qt::NoBrush);
        for (std::size_t i = 0; i + 1 < one.rKernels.size(); ++i)
            painter->drawLine(QLineF(centreOf(one.rKernels[i]), centreOf(one.rKernels[i + 1])));
        for (std::size_t i = 0; i < one.rKernels.size(); ++i) {
            painter->setPen(QPen(outline, isSelected ? 2.5 : 1.5));
            painter->setBrush(i == one.chosen ? QBrush(fill) : QBrush(theme.canvas));
            painter->drawEllipse(centreOf(one.rKernels[i]), kRKernelMark, kRKernelMark);
        }
    };
    for (const bool isOnTop : {false, true}) {
        for (std::uint32_t i = 0; i < units->fused.rOperators.size(); ++i) {
            if ((units->selected == units->fused.rOperators[i].op) == isOnTop)
                drawOne(i);
        }
    }
}

std::optional<std::pair<std::uint32_t, std::size_t>> RKernelMarks::markAt(QPointF point) const
{
    std::optional<std::pair<std::uint32_t, std::size_t>> nearest;
    double least = kRKernelReach;
    for (std::uint32_t i = 0; units && visible() && i < units->fused.rOperators.size(); ++i) {
        const auto &rKernels = units->fused.rOperators[i].rKernels;
        for (std::size_t k = 0; k < rKernels.size(); ++k) {
            const double distance = QLineF(centreOf(rKernels[k]), point).length();
            if (distance <= least) {
                least = distance;
                nearest = {i, k};
            }
        }
    }
    return nearest;
}

} // namespace stagecraft
