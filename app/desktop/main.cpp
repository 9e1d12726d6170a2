#include "desktop/application.h"
#include "desktop/dialogs/write_picture.h"
#include "desktop/document/document.h"
#include "desktop/frame/appearance.h"
#include "desktop/frame/icons.h"
#include "desktop/frame/message_bar.h"
#include "desktop/main_window.h"
#include "desktop/windows.h"
#include "desktop/work/unexpected_reason.h"
#include "support/error_text.h"
#include "support/user_folders.h"
#include "wiring/device_catalog.h"

#include <QCommandLineParser>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

namespace {

using namespace stagecraft;

constexpr int kProgramFailedStatus = 5; // as in the command line

// Renders the window when everything is shown, then ends; for machines without a display.
void takePictureWhenSettled(MainWindow &window, const QString &path, bool search)
{
    auto *quiet = new QTimer(&window);
    quiet->setSingleShot(true);
    quiet->setInterval(250);
    auto searchPending = std::make_shared<bool>(search);
    QObject::connect(&window, &MainWindow::settled, quiet, qOverload<>(&QTimer::start));
    QObject::connect(quiet, &QTimer::timeout, &window, [&window, path, quiet, searchPending] {
        if (!window.isSettled()) {
            quiet->start();
            return;
        }
        if (std::exchange(*searchPending, false) && window.document()->next()->model()) {
            window.startSearch();
            return;
        }
        const auto saved = writePicture(window.grab().toImage(), path);
        if (!saved)
            std::fprintf(stderr, "stagecraft: %s\n", errorText(saved.error()).c_str());
        const QString refused = window.messages()->text();
        if (!window.document()->next()->model() && !refused.isEmpty())
            std::fprintf(stderr, "stagecraft: %s\n", qPrintable(refused));
        QCoreApplication::exit(saved ? 0 : 3);
    });
    quiet->start();
}

// Options that need no window are handled before there is one: servers have no display.
bool asksForText(int argc, char **argv)
{
    const std::set<std::string_view> words{"-h", "-?", "--help", "--help-all", "-v", "--version"};
    return std::any_of(argv + 1, argv + argc, [&](const char *word) { return words.contains(word); });
}

void nameProgram()
{
    QCoreApplication::setOrganizationName(QStringLiteral("Stagecraft"));
    QCoreApplication::setApplicationName(QStringLiteral("stagecraft"));
    QCoreApplication::setApplicationVersion(QStringLiteral(STAGECRAFT_VERSION));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Stagecraft"));
    QGuiApplication::setDesktopFileName(QStringLiteral("stagecraft"));
}

int run(int argc, char **argv)
{
    if (const auto home = homeFolder()) // Qt would accept a relative HOME, and use / if it is missing
        qputenv("HOME", home->c_str());
    nameProgram();
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Explores inter-operator schedules of neural networks on GPUs, measured or simulated."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption device(
        QStringLiteral("device"), QStringLiteral("Device to start with, for example sim:v100."), QStringLiteral("id"));
    const QCommandLineOption search(QStringLiteral("search"), QStringLiteral("Search as soon as the model is open."));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("system, light or dark."),
                                   QStringLiteral("theme"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window, for example 1440x900."),
                                  QStringLiteral("size"));
    const QCommandLineOption picture(QStringLiteral("screenshot"),
                                     QStringLiteral("Write a picture of the window to FILE and exit."),
                                     QStringLiteral("FILE"));
    parser.addOptions({device, search, theme, size, picture});
    parser.addPositionalArgument(QStringLiteral("model"),
                                 QStringLiteral("Built-in name, ONNX file, IOS JSON graph or session (.stagecraft); "
                                                "behind a model also its schedules and profiles."),
                                 QStringLiteral("[model [file...]]"));
    if (asksForText(argc, argv)) {
        const QCoreApplication withoutWindow(argc, argv);
        parser.process(withoutWindow); // ends the program
    }
    const auto application = Application::create(argc, argv, kProgramFailedStatus);
    parser.process(*application);

    const QString wanted = parser.isSet(theme)
                               ? parser.value(theme)
                               : QSettings().value(QStringLiteral("appearance"), QStringLiteral("system")).toString();
    const auto appearance = appearanceFromString(wanted);
    if (!appearance && parser.isSet(theme)) {
        std::fprintf(stderr, "stagecraft: unknown theme \"%s\": use system, light or dark\n", qPrintable(wanted));
        return 2;
    }
    QApplication::setWindowIcon(applicationIcon());
    applyAppearance(*application, appearance.value_or(Appearance::System));

    // A picture shows only what was asked for.
    Windows windows(installedServices(), parser.isSet(picture) ? std::nullopt : autosaveFolder());
    QObject::connect(application.get(), &Application::failed, &windows, [&windows](const QString &reason) {
        for (const MainWindow *each : windows.all())
            each->messages()->show(MessageBar::Kind::Error, reason);
        std::fprintf(stderr, "stagecraft: %s\n", qPrintable(reason));
    });
    // From threads that measure; shown while the event loop runs.
    tellDeviceNotices([context = application.get(), &windows](const std::string &text) {
        QMetaObject::invokeMethod(
            context,
            [&windows, notice = QString::fromStdString(text)] {
                for (const MainWindow *each : windows.all())
                    each->messages()->show(MessageBar::Kind::Warning, notice);
            },
            Qt::QueuedConnection);
    });
    const QStringList models = parser.positionalArguments();
    if (windows.restoreInterrupted() > 0 && models.isEmpty())
        return QApplication::exec();
    MainWindow &window = *windows.open();
    if (parser.isSet(size)) {
        const QStringList sides = parser.value(size).split(QLatin1Char('x'));
        if (sides.size() == 2)
            window.resize(sides[0].toInt(), sides[1].toInt());
    }
    if (parser.isSet(picture))
        takePictureWhenSettled(window, parser.value(picture), parser.isSet(search));
    else if (parser.isSet(search) && !models.isEmpty())
        QObject::connect(
            &window, &MainWindow::opened, &window, [&window] { window.startSearch(); },
            static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    window.show();
    const auto openModels = [&window, &models, &parser, &picture](bool isDeviceChosen) {
        if (!isDeviceChosen) {
            std::fprintf(stderr, "stagecraft: %s\n", qPrintable(window.messages()->text()));
            if (parser.isSet(picture))
                QApplication::exit(2);
        }
        if (!models.isEmpty())
            window.openPaths(models);
    };
    if (parser.isSet(device))
        window.chooseDevice(parser.value(device), openModels);
    else
        openModels(true);
    return QApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return run(argc, argv);
    } catch (...) {
        std::fprintf(stderr, "stagecraft: %s\n", qPrintable(unexpectedReason()));
        return kProgramFailedStatus;
    }
}
