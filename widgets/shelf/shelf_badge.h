#pragma once

// The rows of a folded shelf: for each result a badge with the pane's letter or the initials of its name, its latency,
// and the bar.

#include "widgets/shelf/shelf_rows.h"

#include <QStyleOptionViewItem>

class QPainter;

namespace stagecraft {

inline constexpr int kFoldedShelfWidth = 76; // pixels

// The initials of the name's words and its numbers: "IB" for IOS-Both, "SE2" for "Sequential edited 2".
[[nodiscard]] QString initials(const QString &name);

[[nodiscard]] QSize shelfBadgeSize(const QFont &font);
void paintShelfBadge(QPainter &painter, const QStyleOptionViewItem &option, const ShelfRow &row);

} // namespace stagecraft
