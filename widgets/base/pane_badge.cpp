#include "widgets/base/pane_badge.h"

#include <QPainter>

namespace stagecraft {

QString paneLetter(std::size_t pane)
{
    return QString(QChar(static_cast<char16_t>(u'A' + pane)));
}

void paintPaneBadge(QPainter &painter, const QRectF &place, const QString &letter, const Theme &theme, bool isFilled)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1.4));
    painter.setBrush(isFilled ? QBrush(theme.accent) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(place.adjusted(0.7, 0.7, -0.7, -0.7), 3, 3);
    QFont font = painter.font();
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(isFilled ? theme.onFill(theme.accent) : theme.accent);
    painter.drawText(place, Qt::AlignCenter, letter);
    painter.restore();
}

} // namespace stagecraft
