#pragma once

// The look of every plot: axes, grid and labels in the theme's colours. Also the arithmetic of a time axis that must
// not leave its data.

#include "widgets/theme.h"

#include <QFont>

class QCPAxis;
class QCPAxisRect;
class QCPRange;
class QCustomPlot;

namespace stagecraft {

void stylePlot(QCustomPlot &plot, const Theme &theme);
void styleAxisRect(QCPAxisRect &rect, const Theme &theme, const QFont &font);

// `wanted` moved and shrunk into [lower, upper], keeping its size where possible, and at least `smallest` wide.
[[nodiscard]] QCPRange keptWithin(const QCPRange &wanted, double lower, double upper, double smallest);

} // namespace stagecraft
