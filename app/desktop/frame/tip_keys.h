#pragma once

// Tips of a window that name the keys of an entry in brackets, "Search (F5)": where a person gave the entry other keys,
// the tip names those. Lives on the UI thread.

#include "desktop/frame/actions.h"

#include <QObject>

namespace stagecraft {

class TipKeys : public QObject {
    Q_OBJECT

public:
    TipKeys(const Actions &actions, QWidget *window); // a child of the window; the actions outlive it

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    const Actions &m_actions;
    QWidget *m_window;
};

} // namespace stagecraft
