#include "widgets/base/plot_style.h"

#include <qcustomplot.h>

#include <algorithm>
#include <array>

namespace stagecraft {

void stylePlot(QCustomPlot &plot, const Theme &theme)
{
    plot.setBackground(theme.canvas);
    QFont font = plot.font();
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * 0.9);
    for (QCPAxisRect *rect : plot.axisRects())
        styleAxisRect(*rect, theme, font);
}

void styleAxisRect(QCPAxisRect &rect, const Theme &theme, const QFont &font)
{
    rect.setBackground(theme.canvas);
    for (QCPAxis *axis : rect.axes()) {
        axis->setBasePen(theme.border);
        axis->setTickPen(theme.border);
        axis->setSubTickPen(theme.border);
        axis->setTickLabelColor(theme.mutedText);
        axis->setLabelColor(theme.mutedText);
        axis->setTickLabelFont(font);
        axis->setLabelFont(font);
        axis->setSubTicks(false);
        axis->setLabelPadding(3);
        axis->setTickLabelPadding(4);
        axis->grid()->setPen(QPen(theme.grid, 1));
        axis->grid()->setZeroLinePen(QPen(theme.grid, 1));
    }
}

QColor seriesColour(const Theme &theme, std::size_t series)
{
    constexpr std::array kLight{0x0072b2, 0xd55e00, 0x009e73};
    constexpr std::array kDark{0x56b4e9, 0xe69f00, 0x2bc79a};
    const auto &colours = theme.dark ? kDark : kLight;
    return QColor::fromRgb(static_cast<QRgb>(colours[series % colours.size()]));
}

QCPRange keptWithin(const QCPRange &wanted, double lower, double upper, double smallest)
{
    const double size = std::clamp(wanted.size(), std::min(smallest, upper - lower), upper - lower);
    // A range whose size changes keeps its centre.
    double from = size == wanted.size() ? wanted.lower : wanted.center() - size / 2;
    from = std::clamp(from, lower, upper - size);
    return {from, from + size};
}

} // namespace stagecraft
