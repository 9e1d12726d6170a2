#pragma once

// The application object of the desktop program: an exception in an event handler ends that event, not the program.

#include <QApplication>

#include <memory>

namespace stagecraft {

class Application : public QApplication {
    Q_OBJECT

public:
    // Without a display, the program ends with a message and `status` instead of an abort.
    static std::unique_ptr<Application> create(int &argc, char **argv, int statusWithoutDisplay);

    bool notify(QObject *receiver, QEvent *event) override;

signals:
    void failed(const QString &reason);

private:
    Application(int &argc, char **argv) : QApplication(argc, argv) {}
};

} // namespace stagecraft
