// The command line's reaction to Ctrl+C, a termination request and a closed terminal.

#include "device/executing/device_lock.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/pseudo_terminal.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft::test;

namespace tst_cli_signals {

namespace {

void start(QProcess &process, const QStringList &arguments, const QStringList &environment = {})
{
    process.setEnvironment(QProcess::systemEnvironment() + environment);
    process.setReadChannel(QProcess::StandardError);
    process.start(programPath("stagecraft-cli"), arguments);
    QVERIFY(process.waitForStarted());
}

void send(const QProcess &process, int signal)
{
    ::kill(static_cast<pid_t>(process.processId()), signal);
}

void addSignals()
{
    QTest::addColumn<int>("number");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

// The answer to a signal sent after a search that takes minutes has shown a best schedule.
QJsonObject interruptedSearch(const QString &command, int signal)
{
    PseudoTerminal terminal(200);
    QProcess process;
    terminal.start(process, {command, "randwire", "--device", "sim:v100", "--r", "8", "--exhaustive", "--json"});
    const QByteArray seen = terminal.seenUntil(process, [](const QByteArray &text) { return text.contains("best "); });
    if (process.state() != QProcess::Running || seen.isEmpty())
        return {};
    send(process, signal);
    if (!process.waitForFinished(120'000) || process.exitCode() != 130)
        return {};
    return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

// Opens a pipe for writing; returns when the program reads from it.
int opened(const QString &pipe)
{
    return ::open(qPrintable(pipe), O_WRONLY | O_CLOEXEC);
}

} // namespace

class TestCliSignals : public QObject {
    Q_OBJECT

private slots:
    void signal_whileSomethingIsRead_endsTheProgram_data();
    void signal_whileSomethingIsRead_endsTheProgram();
    void signal_whileAModelIsWritten_endsTheProgram();
    void signal_thatIsIgnored_staysIgnored();
    void optimize_anySignal_keepsTheBestSoFar_data() { addSignals(); }
    void optimize_anySignal_keepsTheBestSoFar();
    void optimize_duringTheSearch_keepsTheBestSoFar();
    void compare_duringTheSearch_showsWhatWasDone();
    void sweep_cancelled_showsThePointsThatAreDone();
    void sweepOverSizes_cancelled_showsTheSizesThatAreDone();
};

void TestCliSignals::signal_whileSomethingIsRead_endsTheProgram_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QStringList>("arguments");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        QTest::addRow("schedule, %d", number) << number << QStringList{"measure", "sample", "--schedule"};
        QTest::addRow("latencies, %d", number) << number << QStringList{"latencies", "import"};
    }
}

void TestCliSignals::signal_whileSomethingIsRead_endsTheProgram()
{
    QFETCH(const int, number);
    QFETCH(const QStringList, arguments);
    const QTemporaryDir folder;
    const QString pipe = folder.filePath("pipe");
    QCOMPARE(mkfifo(qPrintable(pipe), 0600), 0);
    QProcess process;
    start(process, arguments + QStringList{pipe}, {"XDG_DATA_HOME=" + folder.path()});
    const int writer = opened(pipe); // blocks until the program opens it, too
    send(process, number);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 130);
    QCOMPARE(process.readAllStandardError(), QByteArray("stagecraft-cli: cancelled\n"));
    close(writer);
}

void TestCliSignals::signal_whileAModelIsWritten_endsTheProgram()
{
    const QTemporaryDir folder;
    const QString pipe = folder.filePath("pipe");
    QCOMPARE(mkfifo(qPrintable(pipe), 0600), 0);
    QProcess process;
    start(process, {"convert", "squeezenet", "-o", pipe});
    const int reader = ::open(qPrintable(pipe), O_RDONLY | O_CLOEXEC);
    char first = 0;
    QCOMPARE(read(reader, &first, 1), ssize_t(1)); // more than fits in the pipe follows
    send(process, SIGTERM);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 130);
    close(reader);
}

void TestCliSignals::signal_thatIsIgnored_staysIgnored()
{
    const QTemporaryDir folder;
    const QString pipe = folder.filePath("pipe");
    QCOMPARE(mkfifo(qPrintable(pipe), 0600), 0);
    QProcess process; // like nohup
    process.start("/bin/sh", {"-c", "trap '' HUP; exec \"$0\" measure sample --schedule \"$1\"",
                              programPath("stagecraft-cli"), pipe});
    QVERIFY(process.waitForStarted());
    const int writer = opened(pipe);
    send(process, SIGHUP);
    QVERIFY(::write(writer, "{}", 2) == 2);
    close(writer);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 3); // it continued and found that this is no schedule
}

void TestCliSignals::optimize_anySignal_keepsTheBestSoFar()
{
    QFETCH(const int, number);
    const QTemporaryDir folder;
    const QByteArray hardware = "signals-" + QByteArray::number(getpid());
    // The worker waits for its turn when something is to be measured: the search is then certainly running.
    auto turn = std::make_unique<stagecraft::DeviceLock>(hardware.toStdString(), std::stop_token());
    const QString script = folder.filePath("worker");
    write(script, ("#!/bin/sh\nexec " + testProgramPath("faulty-worker") + " " + hardware + "\n").toUtf8());
    QFile::setPermissions(script, QFile::ReadOwner | QFile::ExeOwner);
    QProcess process;
    start(process, {"optimize", "sample", "-d", "cpu", "--strategy", "parallel", "-o", folder.filePath("a.json")},
          {"STAGECRAFT_WORKER=" + script, "XDG_DATA_HOME=" + folder.path()});
    QByteArray told;
    while (!told.contains("waiting") && process.waitForReadyRead(30'000))
        told += process.readAllStandardError();
    send(process, number);
    QVERIFY(process.waitForFinished());
    turn.reset();
    QCOMPARE(process.exitCode(), 130); // asked to stop, not killed: it reports that nothing was measured
    QVERIFY2(!(told + process.readAllStandardError()).endsWith("stagecraft-cli: cancelled\n"), told);
    for (const auto &file : {stagecraft::DeviceLock::holderFile(hardware.toStdString()),
                             stagecraft::DeviceLock::queueFile(hardware.toStdString())})
        std::filesystem::remove(file);
}

void TestCliSignals::optimize_duringTheSearch_keepsTheBestSoFar()
{
    const QJsonObject found = interruptedSearch("optimize", SIGINT);
    QVERIFY(found["latency_us"].toDouble() > 0);
    QCOMPARE(found["search"].toObject()["termination"].toString(), QString("cancelled"));
}

void TestCliSignals::compare_duringTheSearch_showsWhatWasDone()
{
    const QJsonObject found = interruptedSearch("compare", SIGTERM)["schedules"].toObject();
    QVERIFY(found["sequential"]["latency_us"].toDouble() > 0 && found["greedy"]["latency_us"].toDouble() > 0);
    QVERIFY(!found.contains("ios-both"));
}

void TestCliSignals::sweep_cancelled_showsThePointsThatAreDone()
{
    PseudoTerminal terminal(200);
    QProcess process;
    terminal.start(process, {"sweep", "randwire", "-d", "sim:v100", "--r", "1..60", "--s", "1..60", "--json"});
    // The second point has the largest bounds; the first is done.
    const QByteArray seen = terminal.seenUntil(process, [](const QByteArray &text) { return text.contains("s = 60"); });
    QCOMPARE(process.state(), QProcess::Running);
    send(process, SIGINT);
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitCode(), 130);
    const QJsonArray points = QJsonDocument::fromJson(process.readAllStandardOutput())["points"].toArray();
    QVERIFY(!points.isEmpty() && points.size() < 60 * 60);
    QCOMPARE(points[0]["r"].toInt(), 1);
    QCOMPARE(points[0]["s"].toInt(), 1);
}

void TestCliSignals::sweepOverSizes_cancelled_showsTheSizesThatAreDone()
{
    PseudoTerminal terminal(200);
    QProcess process;
    terminal.start(process, {"sweep", "inception_v3", "-d", "sim:v100", "--over", "batch=1..1000:1000", "--json"});
    const QByteArray seen =
        terminal.seenUntil(process, [](const QByteArray &text) { return text.contains("batch = 2"); });
    QCOMPARE(process.state(), QProcess::Running);
    send(process, SIGINT);
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitCode(), 130);
    const QJsonArray points = QJsonDocument::fromJson(process.readAllStandardOutput())["points"].toArray();
    QVERIFY(!points.isEmpty() && points.size() < 1000);
    QCOMPARE(points[0]["size"].toInt(), 1);
    QVERIFY(points[0]["ios_both"]["gain"].toDouble() > 1);
}

STAGECRAFT_SUITE(TestCliSignals)

} // namespace tst_cli_signals
#include "tst_cli_signals.moc"
