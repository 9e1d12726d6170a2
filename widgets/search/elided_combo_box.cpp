#include "widgets/search/elided_combo_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace stagecraft {

void ElidedComboBox::paintEvent(QPaintEvent *)
{
    constexpr int kAfterIcon = 8; // what styles leave around icon and text
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width();
    option.currentText =
        option.fontMetrics.elidedText(option.currentText, Qt::ElideRight, field.width() - icon - kAfterIcon);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace stagecraft
