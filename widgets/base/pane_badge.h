#pragma once

// The letter of a pane, used on panes, on the shelf and in tables.

#include "widgets/base/theme.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace stagecraft {

[[nodiscard]] QString paneLetter(std::size_t pane); // "A"

// Filled for the focused pane.
void paintPaneBadge(QPainter &painter, const QRectF &place, const QString &letter, const Theme &theme, bool isFilled);

} // namespace stagecraft
