#pragma once

// The entries of all menus, for lists of them. Lives on the UI thread.

#include <QString>

#include <vector>

class QAction;
class QMenuBar;

namespace stagecraft {

struct MenuEntry {
    QAction *action;
    QString text; // as it is written in the menu, without the marks of its letters
    QString path; // "View › Panels"
    bool isEnabled;
};

// Those in sight, in order, as they are while their menu is open.
[[nodiscard]] std::vector<MenuEntry> entriesOf(const QMenuBar &bar);

} // namespace stagecraft
