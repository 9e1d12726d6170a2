// Each call that writes fails once, as on a broken disk, or from there on, as on a full one: files are whole or not
// there, what was there before stays, the reason is said, and the latency store goes on. And a clock that jumps.

#include "support/cli_process.h"
#include "support/suite.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <cerrno>
#include <memory>

using namespace stagecraft::test;

namespace tst_failing_disk {
namespace {

constexpr int kMostFaults = 6; // of a kind, in CI, evenly spread over all calls

QString library()
{
    return QCoreApplication::applicationDirPath() + "/failing-system.so";
}

struct Fault {
    long at = 0; // 0: none
    int error = ENOSPC;
    bool lasts = false;
};

} // namespace

class TestFailingDisk : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void writing_failsAnywhere_isWholeOrNotThere_data();
    void writing_failsAnywhere_isWholeOrNotThere();
    void store_failsAnywhere_goesOn();
    void clock_jumps_nothingDependsOnIt();

private:
    // In a new folder "files" beside the latency store; what is written there fails.
    [[nodiscard]] Answer run(const QStringList &arguments, const Fault &fault, const QStringList &more = {}) const
    {
        return cli(arguments, files(),
                   QStringList{"LD_PRELOAD=" + library(), "XDG_DATA_HOME=" + files() + "/data",
                               "STAGECRAFT_FAULTS_UNDER=" + files(), "STAGECRAFT_FAULT_AT=" + QString::number(fault.at),
                               "STAGECRAFT_FAULT=" + QString::number(fault.error),
                               "STAGECRAFT_FAULTS_COUNT=" + m_folder->filePath("count")} +
                       (fault.lasts ? QStringList{"STAGECRAFT_FAULTS_LAST=1"} : QStringList()) + more);
    }
    [[nodiscard]] QString files() const { return m_folder->filePath("files"); }
    void makeFolder()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir().mkpath(files() + "/data"));
    }
    // Calls of the run before; spread out, and in full with STAGECRAFT_ALL_FAULTS.
    [[nodiscard]] QList<long> faultsToTry() const
    {
        const long calls = contentOf(m_folder->filePath("count")).trimmed().toLong();
        const long step = qEnvironmentVariableIsSet("STAGECRAFT_ALL_FAULTS") ? 1 : qMax(1L, calls / kMostFaults);
        QList<long> numbers;
        for (long at = 1; at <= calls; at += step)
            numbers << at;
        return numbers;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestFailingDisk::initTestCase()
{
    if (!QFile::exists(library()))
        QSKIP("the library that makes writing fail was not built");
}

void TestFailingDisk::writing_failsAnywhere_isWholeOrNotThere_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("output");
    const auto row = [](const char *name, const QString &output, const QStringList &command) {
        QTest::newRow(name) << command + QStringList{"-o", output} << output;
    };
    row("schedule", "out.json", {"optimize", "sample", "-d", "sim:v100"});
    row("onnx", "out.onnx", {"convert", "squeezenet"});
    row("page", "out.html", {"export", "sample", "greedy", "--format", "html"});
    row("project", "project", {"export", "sample", "greedy", "--format", "cpp"});
    row("kit", "kit", {"kit", "sample"});
}

void TestFailingDisk::writing_failsAnywhere_isWholeOrNotThere()
{
    QFETCH(const QStringList, command);
    QFETCH(const QString, output);
    makeFolder();
    const Answer reference = run(command, {});
    QVERIFY2(reference.status == 0, reference.err);
    const QString path = files() + "/" + output;
    const bool isFolder = QFileInfo(path).isDir();
    const auto bytes = [&] { return isFolder ? contentOf(path + "/MANIFEST.sha256") : contentOf(path); };
    const QByteArray whole = bytes();
    QVERIFY(!whole.isEmpty());
    const QList<long> faults = faultsToTry();
    QVERIFY(!faults.isEmpty());
    int refused = 0;
    for (const Fault kind : {Fault{0, ENOSPC, true}, Fault{0, EIO, false}}) {
        for (const long at : faults) {
            isFolder ? static_cast<void>(QDir(path).removeRecursively()) : static_cast<void>(QFile::remove(path));
            const Answer answer = run(command, {at, kind.error, kind.lasts});
            const QByteArray label = "call " + QByteArray::number(static_cast<qlonglong>(at)) + ": " + answer.err;
            QVERIFY2(answer.status >= 0, label); // no crash
            if (answer.status == 0) {            // what failed was not needed, such as a flush of the folder
                QCOMPARE(bytes().size(), whole.size());
                continue;
            }
            ++refused;
            QVERIFY2(answer.err.contains(kind.error == ENOSPC ? "No space left on device" : "Input/output error"),
                     label);
            QVERIFY2(!QFile::exists(path) || (isFolder && !QFile::exists(path + "/MANIFEST.sha256")), label);
            const QStringList left = QDir(files()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
            QVERIFY2(left == QStringList{"data"} || isFolder, label + left.join(' ').toUtf8());
        }
    }
    QVERIFY2(refused > 0, "nothing was refused");
}

void TestFailingDisk::store_failsAnywhere_goesOn()
{
    makeFolder();
    const QStringList measure{"measure", "sample", "-d", "cpu", "--stages"};
    QVERIFY(run(measure, {}).status == 0);
    QList<long> faults = faultsToTry();
    QVERIFY(faults.size() > 5);
    if (!qEnvironmentVariableIsSet("STAGECRAFT_ALL_FAULTS")) // each takes as long as measuring does
        faults = {faults[0], faults[1], faults[faults.size() / 2]};
    for (const Fault kind : {Fault{0, ENOSPC, true}, Fault{0, EIO, false}}) {
        for (const long at : faults) {
            QVERIFY(QDir(files() + "/data").removeRecursively() && QDir().mkpath(files() + "/data"));
            const Answer answer = run(measure, {at, kind.error, kind.lasts});
            const QByteArray label = "call " + QByteArray::number(static_cast<qlonglong>(at)) + ": " + answer.err;
            QVERIFY2(answer.status == 0, label); // the latencies are shown, if not kept
            QVERIFY2(answer.err.contains("latencies of this run are not stored") || !kind.lasts, label);
            // The store opens, whatever happened.
            const Answer list = run({"latencies", "list", "--json"}, {});
            QVERIFY2(list.status == 0, label + list.err);
        }
    }
}

void TestFailingDisk::clock_jumps_nothingDependsOnIt()
{
    makeFolder();
    for (const char *jump : {"STAGECRAFT_CLOCK_JUMP=31536000", "STAGECRAFT_CLOCK_JUMP=-31536000"}) {
        const Answer answer =
            run({"optimize", "sample", "-d", "cpu", "--max-seconds", "20", "-o", "out.json", "--force", "--json"}, {},
                {QString::fromLatin1(jump)});
        QVERIFY2(answer.status == 0, answer.err);
        QVERIFY(answer.json()["latency_us"].toDouble() > 0);
        QVERIFY(answer.json()["search"].toObject().value("search_seconds").toDouble() < 120);
        const Answer compared = run({"compare", "sample", "-d", "cpu", "--json"}, {}, {QString::fromLatin1(jump)});
        QVERIFY2(compared.status == 0, compared.err);
    }
}

STAGECRAFT_SUITE(TestFailingDisk)

} // namespace tst_failing_disk
#include "tst_failing_disk.moc"
