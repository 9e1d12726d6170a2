// The desktop program as a process: its messages if no window can be opened, and its output.

#include "desktop/application.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <stdexcept>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_desktop_program {

namespace {

struct Ended {
    int status = -1; // -1: killed or still running
    QByteArray out;
    QByteArray err;
};

Ended desktop(const QStringList &arguments, const QString &platform = {}, const QString &display = {})
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        environment.remove(name);
    if (!platform.isEmpty())
        environment.insert("QT_QPA_PLATFORM", platform);
    if (!display.isEmpty())
        environment.insert("DISPLAY", display);
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(programPath("stagecraft"), arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

class Thrower : public QObject {
public:
    bool event(QEvent *) override { throw std::runtime_error("a fault"); }
};

} // namespace

class TestDesktopProgram : public QObject {
    Q_OBJECT

private slots:
    void help_withoutDisplay_isShown_data();
    void help_withoutDisplay_isShown();
    void start_withoutDisplay_saysWhatToDo_data();
    void start_withoutDisplay_saysWhatToDo();
    void screenshot_link_isWrittenThrough();
    void screenshot_thatCannotBeWritten_saysWhy();
    void notify_handlerThatThrows_tellsAndGoesOn();
};

void TestDesktopProgram::help_withoutDisplay_isShown_data()
{
    QTest::addColumn<QString>("argument");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("help") << "--help" << QByteArray("Usage: ");
    QTest::newRow("short help") << "-h" << QByteArray("--screenshot");
    QTest::newRow("version") << "--version" << QByteArray("stagecraft ");
}

void TestDesktopProgram::help_withoutDisplay_isShown()
{
    QFETCH(const QString, argument);
    QFETCH(const QByteArray, says);
    const Ended ended = desktop({argument});
    QVERIFY2(ended.status == 0, ended.err);
    QVERIFY2(ended.out.contains(says), ended.out);
}

void TestDesktopProgram::start_withoutDisplay_saysWhatToDo_data()
{
    QTest::addColumn<QString>("platform");
    QTest::addColumn<QString>("display");
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("not there") << ""
                               << ":4711";
    QTest::newRow("unknown platform") << "nowhere"
                                      << "";
}

void TestDesktopProgram::start_withoutDisplay_saysWhatToDo()
{
    QFETCH(const QString, platform);
    QFETCH(const QString, display);
    const Ended ended = desktop({"sample"}, platform, display);
    QVERIFY2(ended.status == 5, ended.err);
    QVERIFY2(ended.err.contains("stagecraft: the window cannot be opened: there is no display"), ended.err);
}

void TestDesktopProgram::screenshot_link_isWrittenThrough()
{
    const QTemporaryDir folder;
    const QString link = folder.filePath("link.png");
    QCOMPARE(symlink("real.png", qPrintable(link)), 0);
    const Ended ended = desktop({"--screenshot", link}, "offscreen");
    QVERIFY2(ended.status == 0, ended.err);
    QVERIFY(QFileInfo(link).isSymLink() && QFileInfo(folder.filePath("real.png")).size() > 1000);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{"link.png", "real.png"}));
}

void TestDesktopProgram::screenshot_thatCannotBeWritten_saysWhy()
{
    const Ended ended = desktop({"--screenshot", "/none/at/all.png"}, "offscreen");
    QCOMPARE(ended.status, 3);
    QVERIFY2(ended.err.contains("/none/at/all.png: the file cannot be written: No such file"), ended.err);
}

void TestDesktopProgram::notify_handlerThatThrows_tellsAndGoesOn()
{
    int count = 1;
    char name[] = "test";
    char *arguments[] = {name, nullptr};
    const auto application = Application::create(count, arguments, 5);
    QString told;
    connect(application.get(), &Application::failed, this, [&](const QString &reason) { told = reason; });
    Thrower thrower;
    QCoreApplication::postEvent(&thrower, new QEvent(QEvent::User));
    QCoreApplication::processEvents();
    QVERIFY2(told.contains("a fault"), qPrintable(told));
}

STAGECRAFT_SUITE_WITH(TestDesktopProgram, OfItsOwn)

} // namespace tst_desktop_program
#include "tst_desktop_program.moc"
