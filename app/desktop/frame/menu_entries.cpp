#include "desktop/frame/menu_entries.h"

#include <QMenu>
#include <QMenuBar>

namespace stagecraft {
namespace {

QString withoutLetters(QString text)
{
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    text.remove(QLatin1Char('&'));
    return text.replace(QStringLiteral("\x01"), QStringLiteral("&"));
}

void addEntries(const QMenu &menu, const QString &path, std::vector<MenuEntry> &entries)
{
    emit const_cast<QMenu &>(menu).aboutToShow();
    for (QAction *action : menu.actions()) {
        const QString text = withoutLetters(action->text());
        if (action->menu())
            addEntries(*action->menu(), QStringLiteral("%1 › %2").arg(path, text), entries);
        else if (!action->isSeparator() && action->isVisible())
            entries.push_back({action, text, path, action->isEnabled()});
    }
    emit const_cast<QMenu &>(menu).aboutToHide();
}

} // namespace

std::vector<MenuEntry> entriesOf(const QMenuBar &bar)
{
    std::vector<MenuEntry> entries;
    for (const QAction *title : bar.actions()) {
        if (title->menu())
            addEntries(*title->menu(), withoutLetters(title->text()), entries);
    }
    return entries;
}

} // namespace stagecraft
