#pragma once

// What became of operators between two graphs, as their cards show it instead of a colouring.

#include "widgets/base/theme.h"

#include <QColor>
#include <QPainter>

#include <cstdint>

namespace stagecraft {

enum class OperatorMark : std::uint8_t {
    None,
    Gone,      // not in the other graph: vermilion, hatched
    TakesOver, // does the work of those that are gone, or reads what they read: teal
};

[[nodiscard]] QColor markFill(const Theme &theme, OperatorMark mark);
[[nodiscard]] QColor markOutline(const Theme &theme, OperatorMark mark);

// Slanting lines in the box, in the units of the painter.
void paintHatch(QPainter &painter, const QRectF &box, const QColor &colour, double spacing);

} // namespace stagecraft
