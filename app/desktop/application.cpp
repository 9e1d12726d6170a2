#include "desktop/application.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>

namespace stagecraft {
namespace {

int g_statusWithoutDisplay = 0;

// Qt calls this and aborts; there is no other way to be told.
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
    std::_Exit(g_statusWithoutDisplay);
}

} // namespace

std::unique_ptr<Application> Application::create(int &argc, char **argv, int statusWithoutDisplay)
{
    g_statusWithoutDisplay = statusWithoutDisplay;
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

QString unexpectedReason()
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return QStringLiteral("there is not enough memory; use a smaller model or batch");
    } catch (const std::exception &exception) {
        return QStringLiteral("the program failed: %1; please report it").arg(QString::fromUtf8(exception.what()));
    } catch (...) {
        return QStringLiteral("the program failed; please report it");
    }
}

} // namespace stagecraft
