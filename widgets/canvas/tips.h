#pragma once

// Tool tips of parts that are no widgets.

#include <QHelpEvent>
#include <QString>
#include <QToolTip>

namespace stagecraft {

// If the event asks for a tool tip, shows what `textAt` says of the position, or hides it where that is empty, and
// returns true.
template <typename TextAt>
bool showTip(const QEvent *event, QWidget *widget, const TextAt &textAt)
{
    if (event->type() != QEvent::ToolTip)
        return false;
    const auto *help = static_cast<const QHelpEvent *>(event);
    if (const QString text = textAt(help->pos()); text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, widget);
    return true;
}

} // namespace stagecraft
