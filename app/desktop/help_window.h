#pragma once

// The in-app help: pages from resources/help in a window of their own.

#include <QWidget>

namespace stagecraft {

class HelpBrowser;

class HelpWindow : public QWidget {
    Q_OBJECT

public:
    explicit HelpWindow(QWidget *parent = nullptr);

    // A place within the first page, or another page ("reproduction.html"); the first page if empty.
    void showPage(const QString &place = {});

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    HelpBrowser *m_browser;
};

} // namespace stagecraft
