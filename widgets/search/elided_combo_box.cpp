#include "widgets/search/elided_combo_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace stagecraft {
namespace {

QString shortened(const QString &text, const QFontMetrics &metrics, int room)
{
    const qsizetype bracket = text.endsWith(QLatin1Char(')')) ? text.lastIndexOf(QStringLiteral(" (")) : -1;
    const QString last = bracket > 0 ? text.mid(bracket) : QString();
    const int roomForFirst = room - metrics.horizontalAdvance(last);
    if (last.isEmpty() || roomForFirst < metrics.horizontalAdvance(text.left(1) + QChar(0x2026)))
        return metrics.elidedText(text, Qt::ElideRight, room);
    return metrics.elidedText(text.left(bracket), Qt::ElideRight, roomForFirst) + last;
}

} // namespace

void ElidedComboBox::paintEvent(QPaintEvent *)
{
    constexpr int kAfterIcon = 8; // space that styles leave around icon and text
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width();
    option.currentText = shortened(option.currentText, option.fontMetrics, field.width() - icon - kAfterIcon);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace stagecraft
