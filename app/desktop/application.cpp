#include "desktop/application.h"

#include "desktop/work/unexpected_reason.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace stagecraft {
namespace {

int exitStatus = 0; // without a display

// Qt calls this and then aborts; there is no other notification.
void endOnFatal(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    if (type != QtFatalMsg) {
        std::fprintf(stderr, "%s\n", qPrintable(text));
        return;
    }
    std::fputs("stagecraft: the window cannot be opened: there is no display, or Qt's part for it is missing. Start it "
               "on a desktop (DISPLAY, WAYLAND_DISPLAY), use stagecraft-cli, or, for a picture alone, set "
               "QT_QPA_PLATFORM=offscreen and give --screenshot FILE.\n",
               stderr);
    std::_Exit(exitStatus);
}

} // namespace

std::unique_ptr<Application> Application::create(int &argc, char **argv, int statusWithoutDisplay)
{
    exitStatus = statusWithoutDisplay;
    const QtMessageHandler before = qInstallMessageHandler(endOnFatal);
    std::unique_ptr<Application> application(new Application(argc, argv));
    qInstallMessageHandler(before);
    return application;
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    try {
        return QApplication::notify(receiver, event);
    } catch (...) {
        emit failed(unexpectedReason());
        return true;
    }
}

} // namespace stagecraft
