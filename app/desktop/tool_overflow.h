#pragma once

// Tools at the end of a tool bar that give way, the last first, where there is no room for all: a button opens a menu
// of those that are not seen.

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

    void add(QToolButton *button); // of an action; after the last tool that always stays
    void finish();                 // the button that opens the menu comes last
    void fit(int room);            // for all of these

    [[nodiscard]] QToolButton *button() const { return m_more; }

private:
    QToolBar *m_tools;
    QToolButton *m_more;
    QAction *m_moreInBar = nullptr;
    std::vector<std::pair<QToolButton *, QAction *>> m_buttons; // with what shows them in the bar
};

} // namespace stagecraft
