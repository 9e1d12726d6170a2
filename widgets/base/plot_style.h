#pragma once

// The look of all plots: axes, grid and labels in the theme's colours. Also the arithmetic that keeps a time axis
// within its data.

#include "widgets/base/theme.h"

#include <QFont>

class QCPAxis;
class QCPAxisRect;
class QCPRange;
class QCustomPlot;

namespace stagecraft {

void stylePlot(QCustomPlot &plot, const Theme &theme);
void styleAxisRect(QCPAxisRect &rect, const Theme &theme, const QFont &font);

// Distinct for normal and colour-blind sight (Okabe and Ito), for marks; three, repeated cyclically.
[[nodiscard]] QColor seriesColour(const Theme &theme, std::size_t series);

// `wanted`, moved and shrunk to lie in [lower, upper]. Keeps its size if possible and is at least `smallest` wide.
[[nodiscard]] QCPRange keptWithin(const QCPRange &wanted, double lower, double upper, double smallest);

} // namespace stagecraft
