#pragma once

// The in-app help: pages from resources/help in a separate window.

#include <QWidget>

namespace stagecraft {

class HelpBrowser;

class HelpWindow : public QWidget {
    Q_OBJECT

public:
    explicit HelpWindow(QWidget *parent = nullptr);

    // An anchor in the first page, or another page ("reproduction.html"); if empty, the first page.
    void showPage(const QString &place = {});

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    HelpBrowser *m_browser;
};

} // namespace stagecraft
