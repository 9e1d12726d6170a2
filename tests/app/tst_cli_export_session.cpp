// export SESSION: a whole shelf, as one page and as a folder.

#include "results/files/session_json.h"
#include "support/cli_process.h"
#include "support/session_making.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli_export_session {

class TestCliExportSession : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void export_report_hasTheWholeShelf();
    void export_report_hasTimelinesOfItsDevice();
    void export_everyResult_isAFileInTheFolder_data();
    void export_everyResult_isAFileInTheFolder();
    void export_folderAgain_replacesOnlyWhatItWrote_data();
    void export_folderAgain_replacesOnlyWhatItWrote();
    void export_comparison_isAgainstTheBaselineOfTheShelf();
    void export_twice_givesTheSameBytes();
    void export_anotherReading_isInWords();
    void export_missingModel_leavesItsSchedulesOut();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();

private:
    [[nodiscard]] QString file(const char *name) const { return m_folder.filePath(name); }
    void write(const QString &name, const Session &session) const
    {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(session)));
    }

    QTemporaryDir m_folder;
    Session m_session;
};

void TestCliExportSession::initTestCase()
{
    m_session = shelfOfSqueezenet();
    QCOMPARE(m_session.results.size(), std::size_t{4});
    m_session.results[1].name = "mine & <b>yours</b>";
    write("mine.stagecraft", m_session);
}

void TestCliExportSession::export_report_hasTheWholeShelf()
{
    const Answer answer =
        cli({"export", file("mine.stagecraft"), "-o", file("report.html"), "--json"}, m_folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QByteArray page = contentOf(file("report.html"));
    QCOMPARE(answer.json()["bytes"].toInt(), static_cast<int>(page.size()));
    for (const char *held : {"<h1>squeezenet</h1>", "SHA-256", "<td>Sequential</td>", "mine &amp; &lt;b&gt;yours",
                             "what I run today", "a latency without a schedule", "IOS-Both (chosen)",
                             "Latencies are simulated on sim:v100", "Calibrated on:", "Trade-off of r and s", "<svg",
                             "Speed-ups are over Sequential", "made with</th><td>Stagecraft "})
        QVERIFY2(page.contains(held), held);
    QVERIFY(!page.contains("<b>yours"));
    QVERIFY(!page.contains("<?xml")); // the picture of the trade-off is part of the page
    QVERIFY(page.count("<svg") == 4); // a picture of each schedule, and that
    QVERIFY(!page.contains("src=") && !page.contains("@import"));
}

// A session holds none: they are made on the device of the results, and not on another.
void TestCliExportSession::export_report_hasTimelinesOfItsDevice()
{
    const auto pageWith = [&](const QStringList &arguments) {
        const Answer answer =
            cli(QStringList{"export", file("mine.stagecraft"), "-o", file("timed.html")} + arguments, m_folder.path());
        return answer.status == 0 ? contentOf(file("timed.html")) : answer.err;
    };
    const QByteArray without = pageWith({});
    QCOMPARE(without.count("\"timeline\":"), 0);
    QCOMPARE(without.count("\"whyNoTimeline\":\"None was made when it was exported"), 3);
    QVERIFY(!without.contains("Where the time goes"));
    const QByteArray with = pageWith({"-d", "sim:v100"});
    QCOMPARE(with.count("\"timeline\":{\"provenance\":\"simulated\",\"device\":\"sim:v100\""), 3);
    QVERIFY(with.contains("Where the time goes"));
    const QByteArray other = pageWith({"-d", "sim:k80"});
    QCOMPARE(other.count("\"timeline\":"), 0);
    QCOMPARE(other.count("It is of sim:v100, and timelines were asked for on sim:k80."), 3);
}

void TestCliExportSession::export_everyResult_isAFileInTheFolder_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("names");
    const auto three = [](const QString &ending) {
        return QStringList{"01-squeezenet-sequential" + ending, "02-squeezenet-mine-b-yours-b-" + ending,
                           "03-squeezenet-ios-both" + ending};
    };
    QTest::newRow("json") << QStringList{"--format", "json"} << three(".schedule.json");
    QTest::newRow("csv") << QStringList{"--format", "csv"} << three(".csv");
    QTest::newRow("graph as png") << QStringList{"--format", "png", "--view", "graph"} << three(".png");
    QTest::newRow("onnx") << QStringList{"--format", "onnx"} << three(".onnx");
    QTest::newRow("pytorch") << QStringList{"--format", "pytorch"} << three("");
    const QString group = "01-squeezenet-sim-v100-batch-1";
    QTest::newRow("comparison") << QStringList{"--format", "markdown", "--view", "comparison"}
                                << QStringList{group + ".md"};
    QTest::newRow("trade-off") << QStringList{"--format", "svg", "--view", "tradeoff"} << QStringList{group + ".svg"};
    QTest::newRow("traces") << QStringList{"--format", "perfetto", "-d", "sim:v100"} << QStringList{group + ".pftrace"};
}

void TestCliExportSession::export_everyResult_isAFileInTheFolder()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QStringList, names);
    const QString folder = file(QTest::currentDataTag());
    const Answer answer =
        cli(QStringList{"export", file("mine.stagecraft"), "-o", folder, "--json"} + arguments, m_folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("note: left out: what I run today: a latency without a schedule"), answer.err);
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name),
             names + QStringList{"MANIFEST.sha256"});
    QCOMPARE(answer.json()["names"].toVariant().toStringList(), names);
    QCOMPARE(answer.json()["left_out"].toArray().size(), 1);
}

// As every folder that this program writes.
void TestCliExportSession::export_folderAgain_replacesOnlyWhatItWrote_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("files") << QStringList{"--format", "csv"};
    QTest::newRow("folders") << QStringList{"--format", "pytorch"}; // which have manifests of their own
}

void TestCliExportSession::export_folderAgain_replacesOnlyWhatItWrote()
{
    QFETCH(const QStringList, arguments);
    const QString folder = file("again-") + QTest::currentDataTag();
    const auto run = [&] {
        return cli(QStringList{"export", file("mine.stagecraft"), "-o", folder, "--json"} + arguments, m_folder.path());
    };
    const Answer first = run();
    QVERIFY2(first.status == 0, first.err);
    const QByteArray manifest = contentOf(folder + "/MANIFEST.sha256");
    QProcess check;
    check.setWorkingDirectory(folder);
    check.start("sha256sum", {"--quiet", "--check", "MANIFEST.sha256"});
    QVERIFY(check.waitForFinished());
    QVERIFY2(check.exitCode() == 0, check.readAllStandardError());
    QCOMPARE(first.json()["files"].toInt(), static_cast<int>(manifest.count('\n')) + 1);

    const Answer again = run();
    QVERIFY2(again.status == 0, again.err);
    QCOMPARE(contentOf(folder + "/MANIFEST.sha256"), manifest);

    stagecraft::test::write(folder + "/notes.txt", "mine");
    const Answer refused = run();
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("the folder is not replaced: notes.txt is in it, which no export wrote"),
             refused.err);
    QCOMPARE(contentOf(folder + "/notes.txt"), QByteArray("mine"));
    QCOMPARE(contentOf(folder + "/MANIFEST.sha256"), manifest);
}

void TestCliExportSession::export_comparison_isAgainstTheBaselineOfTheShelf()
{
    Session session = m_session;
    session.baselines = {session.results[2].id}; // the search
    write("against.stagecraft", session);
    const QString folder = file("against");
    const Answer answer =
        cli({"export", file("against.stagecraft"), "-o", folder, "--format", "markdown", "--view", "comparison"},
            m_folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QByteArray table = contentOf(folder + "/01-squeezenet-sim-v100-batch-1.md");
    QVERIFY2(table.contains("Speed-up over IOS-Both."), table);
    QVERIFY2(table.contains("| IOS-Both | ") && table.contains(" | 1.00x | "), table);
    QVERIFY2(table.contains("| Sequential | ") && table.contains(" | 0."), table); // slower than it
}

void TestCliExportSession::export_twice_givesTheSameBytes()
{
    for (const char *name : {"one.html", "two.html"})
        QCOMPARE(cli({"export", file("mine.stagecraft"), "-o", file(name)}, m_folder.path()).status, 0);
    QCOMPARE(contentOf(file("one.html")), contentOf(file("two.html")));
}

void TestCliExportSession::export_anotherReading_isInWords()
{
    Session session = m_session;
    SessionModel model = *session.models.front();
    model.reference.reading.units = Units::Tvm;
    session.models.front() = std::make_shared<const SessionModel>(model);
    for (ScheduleResult &result : session.results)
        result.settings.model = model.reference;
    session.studies.clear();
    write("tvm.stagecraft", session);
    QCOMPARE(cli({"export", file("tvm.stagecraft"), "-o", file("tvm.html")}, m_folder.path()).status, 0);
    const QByteArray page = contentOf(file("tvm.html"));
    const QByteArray hash = QByteArray::fromStdString(model.reference.sha256);
    QVERIFY2(page.contains("<td>" + hash + "</td>") && page.contains("<td>with units tvm</td>"), page);
}

void TestCliExportSession::export_missingModel_leavesItsSchedulesOut()
{
    Session session = m_session;
    SessionModel gone = *session.models.front();
    gone.source = "/nowhere/gone.onnx";
    session.models.front() = std::make_shared<const SessionModel>(gone);
    write("gone.stagecraft", session);
    const Answer answer = cli({"export", file("gone.stagecraft"), "-o", file("gone.html")}, m_folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("its model is missing: /nowhere/gone.onnx"), answer.err);
    const QByteArray page = contentOf(file("gone.html"));
    QVERIFY(page.contains("<td>IOS-Both</td>") && page.contains("its model is missing"));
    const Answer folder =
        cli({"export", file("gone.stagecraft"), "--format", "csv", "-o", file("gone")}, m_folder.path());
    QVERIFY2(folder.err.contains("the shelf has nothing to export as schedule"), folder.err);
    QCOMPARE(folder.status, 3);
    QVERIFY(!QDir(file("gone")).exists());
}

void TestCliExportSession::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status = 2) {
        QTest::newRow(name) << arguments << says << status;
    };
    row("a schedule", {"greedy", "-o", "x.html"}, "greedy has no place in the export of a session");
    row("a batch", {"--batch", "8", "-o", "x.html"}, "--batch has no place in the export of a session");
    row("a file", {"-o", "x.csv"}, "x.csv: a shelf is written as a folder of files in the format csv. Name a new");
    row("specialisation", {"--format", "csv", "--view", "specialisation", "-o", "x"},
        "a session has no specialisation");
    row("timelines of no device", {"--format", "perfetto", "-o", "x"}, "the view timeline needs a device");
    row("merged operators in IOS JSON", {"--format", "ios-json", "-o", "x"}, "merges its operators", 3);
    row("itself", {"--format", "html", "-o", "../mine.stagecraft"}, "this is the input file");
    row("an unwritable folder", {"-o", "nowhere/x.html"}, "nowhere/x.html: the file cannot be written", 3);
    row("a full disk", {"--format", "html", "-o", "/dev/full"}, "/dev/full: the file cannot be written", 3);
    row("a theme of no picture", {"--format", "json", "--theme", "dark", "-o", "x"}, "--theme: the format json is not");
}

void TestCliExportSession::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QString folder = file("refused");
    QVERIFY(QDir().mkpath(folder));
    const QByteArray before = contentOf(file("mine.stagecraft"));
    const Answer answer = cli(QStringList{"export", file("mine.stagecraft")} + arguments, folder);
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QVERIFY(QDir(folder).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    QCOMPARE(contentOf(file("mine.stagecraft")), before);
}

STAGECRAFT_SUITE(TestCliExportSession)

} // namespace tst_cli_export_session
#include "tst_cli_export_session.moc"
