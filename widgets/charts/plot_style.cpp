#include "widgets/charts/plot_style.h"

#include <qcustomplot.h>

#include <algorithm>

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

QCPRange keptWithin(const QCPRange &wanted, double lower, double upper, double smallest)
{
    const double size = std::clamp(wanted.size(), std::min(smallest, upper - lower), upper - lower);
    // A range whose size changes keeps its centre.
    double from = size == wanted.size() ? wanted.lower : wanted.center() - size / 2;
    from = std::clamp(from, lower, upper - size);
    return {from, from + size};
}

} // namespace stagecraft
