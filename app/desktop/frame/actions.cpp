#include "desktop/frame/actions.h"

#include <QMenu>

#include <algorithm>

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
    m_actions.emplace(name, Entry{action, action->shortcuts()});
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
    return found->second.action;
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

QString Actions::nameOf(const QAction *action) const
{
    const auto found = std::ranges::find(m_actions, action, [](const auto &entry) { return entry.second.action; });
    return found == m_actions.end() ? QString() : QString::fromStdString(found->first);
}

QKeySequence Actions::ownKeys(const QString &name) const
{
    const auto found = m_actions.find(name.toStdString());
    return found == m_actions.end() ? QKeySequence() : found->second.ownKeys.value(0);
}

void Actions::setKeys(const QMap<QString, QKeySequence> &keys)
{
    for (const auto &[name, entry] : m_actions) {
        const auto found = keys.find(QString::fromStdString(name));
        const QList<QKeySequence> wanted = found == keys.end() ? entry.ownKeys : QList<QKeySequence>{*found};
        if (entry.action->shortcuts() != wanted)
            entry.action->setShortcuts(wanted);
    }
}

QString Actions::withGivenKeys(QString text) const
{
    const auto inBrackets = [](const QKeySequence &keys) {
        return keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(keys.toString(QKeySequence::NativeText));
    };
    for (const auto &[name, entry] : m_actions) {
        const QString own = inBrackets(entry.ownKeys.value(0));
        if (!own.isEmpty() && entry.action->shortcuts() != entry.ownKeys && text.contains(own))
            return text.replace(own, inBrackets(entry.action->shortcut()));
    }
    return text;
}

} // namespace stagecraft
