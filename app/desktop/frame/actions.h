#pragma once

// The entries of the window's menus, each under a name: areas make them; menus, tool bar and other areas show and
// trigger them. Lives on the UI thread.

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QMap>
#include <QString>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class QMenu;
class QWidget;

namespace stagecraft {

class Actions {
public:
    explicit Actions(QWidget *window) : m_window(window) {}

    // `slot` is called when the action is triggered.
    template <typename Slot>
    QAction *add(std::string_view name, const QString &text, const QKeySequence &keys, Slot &&slot)
    {
        QAction *action = make(name, text, keys);
        QObject::connect(action, &QAction::triggered, m_window, std::forward<Slot>(slot));
        return action;
    }
    void add(std::string_view name, QAction *action); // of a view
    // Several entries under one name, put into each menu that has it.
    void addEntries(std::string_view name, std::function<void(QMenu *)> fill);

    // Ends the program if there is none.
    [[nodiscard]] QAction *operator[](std::string_view name) const;
    // In this order; "-" separates.
    void fill(QMenu *menu, const std::vector<std::string_view> &names) const;

    [[nodiscard]] QString nameOf(const QAction *action) const;     // empty: it has none
    [[nodiscard]] QKeySequence ownKeys(const QString &name) const; // that it was made with
    // All others have the keys that they were made with.
    void setKeys(const QMap<QString, QKeySequence> &keys);
    // "Search (F5)" with the keys that the entry was given instead, or without where it was given none.
    [[nodiscard]] QString withGivenKeys(QString text) const;

private:
    QAction *make(std::string_view name, const QString &text, const QKeySequence &keys);

    QWidget *m_window;
    struct Entry {
        QAction *action;
        QList<QKeySequence> ownKeys;
    };
    std::map<std::string, Entry, std::less<>> m_actions;
    std::map<std::string, std::function<void(QMenu *)>, std::less<>> m_entries;
};

} // namespace stagecraft
