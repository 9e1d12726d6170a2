#pragma once

// The keys of one pane or panel over it, from the help's section of them. Escape, ? or a press elsewhere closes it.
// Lives on the UI thread.

#include <QFrame>
#include <QString>

namespace stagecraft {

class HelpBrowser;

class PaneKeys : public QFrame {
    Q_OBJECT

public:
    // `name`: of the panel's dock, "graph"; `title`: for people.
    PaneKeys(const QString &name, const QString &title, QWidget *parent);

    void showOver(const QWidget &area); // deletes itself when closed

signals:
    void helpWanted(const QString &place); // an anchor of the first page

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    HelpBrowser *m_browser;
};

} // namespace stagecraft
