#include "desktop/frame/actions.h"

#include <QKeySequence>
#include <QMenu>

namespace stagecraft {

QAction *Actions::make(std::string_view name, const QString &text, const QKeySequence &keys)
{
    auto *action = new QAction(text, m_window);
    action->setShortcut(keys);
    add(name, action);
    return action;
}

void Actions::add(std::string_view name, QAction *action)
{
    m_actions.emplace(name, action);
}

void Actions::addEntries(std::string_view name, std::function<void(QMenu *)> fill)
{
    m_entries.emplace(name, std::move(fill));
}

QAction *Actions::operator[](std::string_view name) const
{
    const auto found = m_actions.find(name);
    if (found == m_actions.end())
        qFatal("no entry of a menu is named %s", std::string(name).c_str());
    return found->second;
}

void Actions::fill(QMenu *menu, const std::vector<std::string_view> &names) const
{
    for (const std::string_view name : names) {
        if (name == "-")
            menu->addSeparator();
        else if (const auto entries = m_entries.find(name); entries != m_entries.end())
            entries->second(menu);
        else
            menu->addAction((*this)[name]);
    }
}

} // namespace stagecraft
