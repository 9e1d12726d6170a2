#include "desktop/frame/tip_keys.h"

#include <QApplication>
#include <QHelpEvent>
#include <QToolTip>
#include <QWidget>

namespace stagecraft {

TipKeys::TipKeys(const Actions &actions, QWidget *window) : QObject(window), m_actions(actions), m_window(window)
{
    qApp->installEventFilter(this);
}

bool TipKeys::eventFilter(QObject *watched, QEvent *event)
{
    auto *widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget *>(watched) : nullptr;
    if (!widget || widget->window() != m_window)
        return false;
    const QString tip = widget->toolTip();
    const QString shown = m_actions.withGivenKeys(tip);
    if (shown == tip)
        return false; // the widget shows it by itself
    QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), shown, widget);
    return true;
}

} // namespace stagecraft
