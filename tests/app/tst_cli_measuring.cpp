// Measuring devices on the command line: messages about a dying worker, a latency store that cannot write, and other
// measuring programs.

#include "device/executing/device_lock.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QtTest>

#include <memory>

using namespace stagecraft::test;

namespace tst_cli_measuring {

namespace {

const QString kFaulty = "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker");

// The faulty worker, taking turns on `hardware`; latencies are stored in `folder`.
QStringList takingTurns(const QString &folder, const QByteArray &hardware)
{
    const QString script = folder + "/worker";
    write(script, ("#!/bin/sh\nexec " + testProgramPath("faulty-worker") + " " + hardware + "\n").toUtf8());
    QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return {"STAGECRAFT_WORKER=" + script, "XDG_DATA_HOME=" + folder};
}

} // namespace

class TestCliMeasuring : public QObject {
    Q_OBJECT

private slots:
    void search_workerKilledByAStage_saysWhichAndWhy_data();
    void search_workerKilledByAStage_saysWhichAndWhy();
    void measure_storeThatCannotBeOpened_saysWhatThatMeans();
    void measure_storeOnAFullDisk_saysWhatThatMeansOnce();
    void measure_damagedStore_saysWhatThatMeans();
    void measure_deviceInUseElsewhere_saysOnceThatItWaits();
    void measure_noLockFile_saysThatNoTurnsAreTaken();
};

void TestCliMeasuring::search_workerKilledByAStage_saysWhichAndWhy_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QByteArray>("where");
    QTest::newRow("optimize") << QStringList{"optimize", "sample", "--strategy", "merge"} << QByteArray("search: ");
    QTest::newRow("compare") << QStringList{"compare", "sample"} << QByteArray("IOS-Merge: ");
    QTest::newRow("sweep") << QStringList{"sweep", "sample", "--r", "3", "--s", "8"}
                           << QByteArray("both, r = 3, s = 8: ");
    QTest::newRow("sweep over sizes") << QStringList{"sweep", "sample", "--over", "batch=1..1"}
                                      << QByteArray("batch = 1: ");
}

void TestCliMeasuring::search_workerKilledByAStage_saysWhichAndWhy()
{
    QFETCH(const QStringList, command);
    QFETCH(const QByteArray, where);
    const QTemporaryDir folder;
    const Answer answer = cli(command + QStringList{"-d", "cpu"}, {}, {kFaulty, "XDG_DATA_HOME=" + folder.path()});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("stagecraft-cli: " + where), answer.err);
    QVERIFY2(answer.err.contains(" left out") && answer.err.contains("stage {conv"), answer.err);
    QVERIFY2(answer.err.contains("the worker was killed by signal 11 (Segmentation fault)"), answer.err);
    QVERIFY2(command.first() != "optimize" || answer.out.contains("without the stages left out"), answer.out);
}

void TestCliMeasuring::measure_storeThatCannotBeOpened_saysWhatThatMeans()
{
    const Answer answer = cli({"measure", "sample", "-d", "cpu"}, {}, {kFaulty, "XDG_DATA_HOME=/proc"});
    QVERIFY2(answer.status == 0 && answer.out.contains("(measured, fp32)"), answer.err);
    QVERIFY2(answer.err.contains("latency store: /proc/stagecraft/latencies.sqlite: SQLite: unable to open"),
             answer.err);
    QVERIFY2(answer.err.contains("; latencies of this run are not stored. Check the permissions of "), answer.err);
}

// A file size limit simulates a full disk: the log exceeds it after a few latencies.
void TestCliMeasuring::measure_storeOnAFullDisk_saysWhatThatMeansOnce()
{
    const QTemporaryDir folder;
    const QStringList environment{kFaulty, "XDG_DATA_HOME=" + folder.path()};
    QCOMPARE(cli({"measure", "sample", "-d", "cpu"}, {}, environment).status, 0);
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() + environment);
    process.start("/bin/sh", {"-c", "trap '' XFSZ; ulimit -f 72; exec \"$0\" measure nasnet -d cpu",
                              programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished());
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 0, err);
    QVERIFY2(err.contains(folder.path().toUtf8() + "/stagecraft/latencies.sqlite: SQLite: "), err);
    QCOMPARE(err.count("; latencies of this run are not stored. Check that its disk works"), 1);
}

void TestCliMeasuring::measure_damagedStore_saysWhatThatMeans()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("stagecraft"));
    write(folder.filePath("stagecraft/latencies.sqlite"), QByteArray(8192, 'x'));
    const QStringList environment{kFaulty, "XDG_DATA_HOME=" + folder.path()};
    const Answer answer = cli({"measure", "sample", "-d", "cpu"}, {}, environment);
    QVERIFY2(answer.status == 0 && answer.err.contains("was damaged"), answer.err);
    QVERIFY2(answer.err.contains("What it held is measured again when it is needed."), answer.err);
}

void TestCliMeasuring::measure_deviceInUseElsewhere_saysOnceThatItWaits()
{
    const QTemporaryDir folder;
    const QByteArray hardware = "test-cli-" + QByteArray::number(QCoreApplication::applicationPid());
    auto elsewhere = std::make_unique<stagecraft::DeviceLock>(hardware.toStdString(), std::stop_token());
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() + takingTurns(folder.path(), hardware));
    process.start(programPath("stagecraft-cli"), {"measure", "sample", "-d", "cpu"});
    QVERIFY(!process.waitForFinished(1300)); // two heartbeats
    QByteArray err = process.readAllStandardError();
    while (!err.contains("waiting for cpu") && process.waitForReadyRead(30'000))
        err += process.readAllStandardError();
    elsewhere.reset();
    QVERIFY(process.waitForFinished());
    err += process.readAllStandardError();
    const QByteArray number =
        " (process " + QByteArray::number(QCoreApplication::applicationPid()) + ") measures on it";
    QVERIFY2(process.exitCode() == 0 && err.count("waiting for cpu: suites_app tst_cli_measuring") == 1, err);
    QVERIFY2(err.contains(number) && err.contains("A stop ends the wait and keeps what was measured"), err);
    std::filesystem::remove(stagecraft::DeviceLock::holderFile(hardware.toStdString()));
    std::filesystem::remove(stagecraft::DeviceLock::queueFile(hardware.toStdString()));
}

void TestCliMeasuring::measure_noLockFile_saysThatNoTurnsAreTaken()
{
    const QTemporaryDir folder;
    const QStringList environment = takingTurns(folder.path(), "test-cli-none") + QStringList{"TMPDIR=/proc"};
    const Answer answer = cli({"measure", "sample", "-d", "cpu"}, {}, environment);
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("cpu is used without taking turns") && answer.err.contains("Set TMPDIR to"),
             answer.err);
}

STAGECRAFT_SUITE(TestCliMeasuring)

} // namespace tst_cli_measuring
#include "tst_cli_measuring.moc"
