#pragma once

// The application of the desktop program: an exception that an event handler lets out costs that event, not the window.

#include <QApplication>

#include <memory>

namespace stagecraft {

class Application : public QApplication {
    Q_OBJECT

public:
    // A machine without a display ends the program with a message and `status`, not with an abort.
    static std::unique_ptr<Application> create(int &argc, char **argv, int statusWithoutDisplay);

    bool notify(QObject *receiver, QEvent *event) override;

signals:
    void failed(const QString &reason);

private:
    Application(int &argc, char **argv) : QApplication(argc, argv) {}
};

} // namespace stagecraft
