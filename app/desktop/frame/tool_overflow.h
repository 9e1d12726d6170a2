#pragma once

// Tools at the end of a tool bar that are hidden, last first, if there is too little space: a button opens a menu of
// the hidden ones.

#include <QObject>

#include <vector>

class QAction;
class QToolBar;
class QToolButton;

namespace stagecraft {

class ToolOverflow : public QObject {
    Q_OBJECT

public:
    explicit ToolOverflow(QToolBar *tools);

    void add(QToolButton *button); // needs an action; added after the last permanent tool
    void finish();                 // adds the menu button at the end
    void fit(int room);            // space for all of these

    [[nodiscard]] QToolButton *button() const { return m_more; }

private:
    QToolBar *m_tools;
    QToolButton *m_more;
    QAction *m_moreInBar = nullptr;
    std::vector<std::pair<QToolButton *, QAction *>> m_buttons; // with the actions that show them in the bar
};

} // namespace stagecraft
