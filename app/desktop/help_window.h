#pragma once

// The in-app help: pages from resources/help in a window of their own.

#include <QWidget>

class QTextBrowser;

namespace stagecraft {

class HelpWindow : public QWidget {
    Q_OBJECT

public:
    explicit HelpWindow(QWidget *parent = nullptr);

    void showPage(const QString &anchor = {});

protected:
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void load();

    QTextBrowser *m_browser;
};

} // namespace stagecraft
