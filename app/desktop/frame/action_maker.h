#pragma once

// Creates menu entries with their keys.

#include <QAction>
#include <QKeySequence>
#include <QString>
#include <QWidget>

#include <utility>

namespace stagecraft {

class ActionMaker {
public:
    explicit ActionMaker(QWidget *window) : m_window(window) {}

    // `slot` is called when the action is triggered.
    template <typename Slot>
    QAction *operator()(const QString &text, const QKeySequence &keys, Slot &&slot) const
    {
        auto *action = new QAction(text, m_window);
        action->setShortcut(keys);
        QObject::connect(action, &QAction::triggered, m_window, std::forward<Slot>(slot));
        return action;
    }

private:
    QWidget *m_window;
};

} // namespace stagecraft
