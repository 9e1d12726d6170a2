#pragma once

// The letter of a pane, wherever it stands: on the pane, on the shelf, in tables.

#include "widgets/theme.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace stagecraft {

[[nodiscard]] QString paneLetter(std::size_t pane); // "A"

// Filled: of the pane in focus.
void paintPaneBadge(QPainter &painter, const QRectF &place, const QString &letter, const Theme &theme, bool isFilled);

} // namespace stagecraft
