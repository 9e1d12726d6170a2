// export: files for other programs, checked by those that are installed, and refusals before anything is written.

#include "support/cli_process.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_export {

class TestCliExport : public QObject {
    Q_OBJECT

private slots:
    void export_everyFormat_isWritten_data();
    void export_everyFormat_isWritten();
    void export_scheduleFile_isWhatTheFileSays();
    void export_scheduleOfAnotherBatch_isExportedAtThatBatch();
    void export_iosJson_readsBackWithItsStages();
    void export_perfetto_perfettoReadsIt();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
    void export_pictureOfTooManyPixels_isRefused();
    void export_pdfLargerThanAPage_isDrawnSmallerAndSaysSo();
    void report_ofAFileMeasuredAgain_saysHowItWasMade();
    void export_reportOfOneResult_isNotComparedWithItself();
    void export_reportOfInception_isSmallAndSaysWhatCompareSays();
    void export_standardOutput_isTheDocumentAlone();
};

void TestCliExport::export_everyFormat_isWritten_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("holds");
    const QStringList both{"sequential", "ios-both", "-d", "sim:v100"};
    const QStringList one{"ios-both", "-d", "sim:v100"};
    QTest::newRow("x.json") << one << QByteArray("\"stagecraft-schedule\"");
    QTest::newRow("ios.json") << QStringList{"greedy", "--format", "ios-json"} << QByteArray("\"stages\"");
    QTest::newRow("x.csv") << one << QByteArray("stage,block,strategy,");
    QTest::newRow("comparison.csv") << both + QStringList{"--view", "comparison"}
                                    << QByteArray("\r\nIOS-Both,288.785,");
    QTest::newRow("x.md") << one << QByteArray("batch 1, fp32, on sim:v100, simulated.");
    QTest::newRow("comparison.md") << both + QStringList{"--view", "comparison"}
                                   << QByteArray("| IOS-Both | 288.8 us | ");
    QTest::newRow("x.dot") << one << QByteArray("label=\"stage 1, merged, ");
    QTest::newRow("graph.gv") << QStringList{"--view", "graph"} << QByteArray("op0 -> op3;");
    QTest::newRow("trace.trace") << both + QStringList{"--format", "chrome-trace"} << QByteArray("\"traceEvents\"");
    QTest::newRow("table.md") << one + QStringList{"--format", "csv"} << QByteArray("stage,block,strategy,");
    QTest::newRow("trace.json") << both + QStringList{"--format", "chrome-trace"} << QByteArray("\"traceEvents\"");
    QTest::newRow("nodes.json") << one + QStringList{"--format", "model-explorer"}
                                << QByteArray("\"bgColor\": \"#8ecae6\"");
    QTest::newRow("times.json") << one + QStringList{"--format", "model-explorer", "--view", "timeline"}
                                << QByteArray("\"gradient\"");
    QTest::newRow("x.svg") << one << QByteArray("merged: one bigger operator, then a split</title>");
    QTest::newRow("dark.svg") << QStringList{"greedy", "--theme", "dark"} << QByteArray("fill=\"#14181d\"");
    QTest::newRow("x.html") << both
                            << QByteArray("<td>IOS-Both</td><td>ios-both</td><td class=\"number\">288.8 us</td>");
    QTest::newRow("why.html") << both
                              << QByteArray("<details><summary>From Sequential to IOS-Both: -198.0 us</summary>");
    QTest::newRow("unmeasured.html") << QStringList{"greedy"} << QByteArray("The schedules are not measured.");
    const QByteArray png("\x89PNG");
    const QByteArray pdf("%PDF-1.4");
    QTest::newRow("x.png") << one << png;
    QTest::newRow("large.png") << QStringList{"greedy", "--scale", "2.5", "--theme", "dark"} << png;
    QTest::newRow("x.pdf") << one << pdf;
    for (const char *view : {"graph", "timeline", "time-parts", "comparison", "tradeoff", "specialisation"}) {
        const QStringList subject = view == std::string("specialisation")
                                        ? QStringList{"-d", "sim:v100", "--batches", "1,8"}
                                    : view == std::string("tradeoff") ? QStringList{"-d", "sim:v100", "--r", "1,2"}
                                    : view == std::string("graph")    ? one
                                                                      : both;
        const QStringList arguments = subject + QStringList{"--view", view};
        QTest::addRow("%s.svg", view) << arguments << QByteArray("<title>sample");
        QTest::addRow("%s.pdf", view) << arguments << pdf;
        QTest::addRow("%s.png", view) << arguments << png;
    }
    const QByteArray kernels("schedule,stage,stream,kernel,operators,provenance,device,start_us,duration_us\r\n"
                             "Sequential,1,1,");
    QTest::newRow("timeline.csv") << both + QStringList{"--view", "timeline"} << kernels;
    QTest::newRow("timeline.md") << both + QStringList{"--view", "timeline"} << QByteArray("| schedule | stage |");
    QTest::newRow("why.csv") << both + QStringList{"--view", "time-parts"}
                             << QByteArray("\r\nIOS-Both,latency,simulated,sim:v100,288.785,-198.0");
    QTest::newRow("why.md") << both + QStringList{"--view", "time-parts"}
                            << QByteArray("| IOS-Both | idle SMs | simulated | sim:v100 | 15.6 us | -210.4 us |");
    QTest::newRow("graph.csv") << QStringList{"--view", "graph"}
                               << QByteArray("operator,type,block,reads,output,flop,bytes\r\n");
    QTest::newRow("graph.md") << QStringList{"--view", "graph"} << QByteArray("5 operators, batch 1.");
    QTest::newRow("specialisation.csv") << QStringList{"--view", "specialisation", "--devices", "sim:v100,sim:k80"}
                                        << QByteArray("sim:k80,\"simulated, fp32\",");
    QTest::newRow("specialisation.md") << QStringList{"--view", "specialisation", "--batches", "1,8", "-d", "sim:v100"}
                                       << QByteArray("| made for batch 8 |");
    const QStringList study{"--view", "tradeoff", "-d", "sim:v100", "--r", "1,2"};
    QTest::newRow("tradeoff.csv") << study + QStringList{"--format", "csv"} << QByteArray("strategy,r,s,");
    QTest::newRow("tradeoff.md") << study << QByteArray("| strategy | r | s |");
    QTest::newRow("x.onnx") << QStringList{"greedy"} << QByteArray("stagecraft");
    QTest::newRow("x.pftrace") << both << QByteArray("active warps (simulated)");
}

void TestCliExport::export_everyFormat_isWritten()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, holds);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QTest::currentDataTag());
    const QStringList command = QStringList{"export", "sample"} + arguments + QStringList{"-o", file};
    const Answer answer = cli(command + QStringList{"--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QByteArray first = contentOf(file);
    QVERIFY2(first.contains(holds), first.left(2000));
    QCOMPARE(answer.json()["bytes"].toInt(), static_cast<int>(first.size()));
    // Again, in the place of a file of its kind.
    QCOMPARE(cli(command).status, 0);
    const bool hasDurations = (arguments.contains("ios-both") && file.endsWith("x.json")) || // of its search
                              file.endsWith("tradeoff.csv") || file.endsWith("tradeoff.md");
    if (!hasDurations)
        QCOMPARE(contentOf(file), first);
}

void TestCliExport::export_scheduleFile_isWhatTheFileSays()
{
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("best.schedule.json");
    const double latencyUs =
        cli({"optimize", "sample", "-d", "sim:v100", "-o", schedule, "--json"}).json()["latency_us"].toDouble();
    const Answer answer = cli({"export", "sample", schedule, "--format", "csv", "-o", "-"});
    QVERIFY2(answer.status == 0, answer.err);
    double sumUs = 0;
    for (const QByteArray &line : answer.out.trimmed().split('\n').mid(1)) {
        const QByteArray rest = line.mid(line.lastIndexOf('"') + 1); // several operators are quoted
        sumUs += rest.split(',')[rest.startsWith(',') ? 1 : 5].toDouble();
        QVERIFY2(line.contains(",simulated,sim:v100,1,fp32"), line);
    }
    QVERIFY(sumUs > 0 && sumUs <= latencyUs);
}

void TestCliExport::export_scheduleOfAnotherBatch_isExportedAtThatBatch()
{
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("s.json");
    QCOMPARE(cli({"export", "sample", "greedy", "--batch", "8", "-o", schedule}).status, 0);
    const Answer answer = cli({"export", "sample", schedule, "--format", "csv", "-o", "-"});
    QVERIFY2(answer.err.contains("so the model is opened at batch 8; --batch chooses another"), answer.err);
    QVERIFY2(answer.out.contains(",8,fp32"), answer.out);
    const Answer other = cli({"export", "sample", schedule, "--batch", "2", "--format", "csv", "-o", "-"});
    QVERIFY2(other.err.contains("was made for batch 8, but is used at batch 2"), other.err);
    QVERIFY2(other.out.contains(",2,fp32"), other.out);
}

void TestCliExport::export_iosJson_readsBackWithItsStages()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("i.json");
    QCOMPARE(
        cli({"export", "inception_v3", "ios-parallel", "-d", "sim:v100", "--format", "ios-json", "-o", file}).status,
        0);
    const auto foundUs = [](const QString &model) {
        return cli({"compare", model, "-d", "sim:v100", "--json"})
            .json()["schedules"]
            .toObject()["ios-both"]
            .toObject()["latency_us"]
            .toDouble();
    };
    QCOMPARE(foundUs(file), foundUs("inception_v3"));
    const QJsonDocument written = QJsonDocument::fromJson(contentOf(file));
    qsizetype stages = 0;
    for (const QJsonValue &block : written["blocks"].toArray())
        stages += block["stages"].toArray().size();
    const QJsonObject best =
        cli({"optimize", "inception_v3", "-d", "sim:v100", "--strategy", "parallel", "--json"}).json();
    QCOMPARE(stages, static_cast<qsizetype>(best["stages"].toInt()));
    // As a schedule: of the model it is in, of the model it was made from, and of the file that is opened.
    for (const QStringList &measured :
         {QStringList{file, "--schedule", "embedded"}, QStringList{"inception_v3", "--schedule", file},
          QStringList{file, "--schedule", file}}) {
        const Answer answer = cli(QStringList{"measure"} + measured + QStringList{"-d", "sim:v100", "--json"});
        QVERIFY2(answer.status == 0, answer.err);
        QCOMPARE(answer.json()["latency_us"].toDouble(), best["latency_us"].toDouble());
        QCOMPARE(answer.json()["stages"].toArray().size(), stages);
    }
    const Answer other = cli({"measure", "squeezenet", "--schedule", file, "-d", "sim:v100"});
    QCOMPARE(other.status, 3);
    QVERIFY2(other.err.contains("i.json: stage 1: operator ") && other.err.contains("is for another model: squeezenet"),
             other.err);
    const QString graph = folder.filePath("graph.json");
    QCOMPARE(cli({"export", "sample", "greedy", "--format", "ios-json", "-o", graph}).status, 0);
    QJsonObject plain = QJsonDocument::fromJson(contentOf(graph)).object();
    QJsonArray blocks = plain["blocks"].toArray();
    for (auto &&block : blocks) {
        QJsonObject changed = block.toObject();
        changed["stages"] = QJsonValue();
        block = changed;
    }
    plain["blocks"] = blocks;
    write(graph, QJsonDocument(plain).toJson());
    const Answer none = cli({"measure", graph, "--schedule", "embedded", "-d", "sim:v100"});
    QVERIFY2(none.status == 2 && none.err.contains("graph.json has no schedule in it"), none.err);
    const Answer empty = cli({"measure", "sample", "--schedule", graph, "-d", "sim:v100"});
    QVERIFY2(empty.status == 3 && empty.err.contains("block 1: it has no stages"), empty.err);
}

void TestCliExport::export_perfetto_perfettoReadsIt()
{
    const QString python = pythonWith("perfetto.protos.perfetto.trace.perfetto_trace_pb2");
    if (python.isEmpty())
        QSKIP("perfetto of PyPI is not installed (packaging/test.sh does)");
    const QTemporaryDir folder;
    const QString file = folder.filePath("x.pftrace");
    QCOMPARE(cli({"export", "squeezenet", "sequential", "greedy", "-d", "sim:v100", "-o", file}).status, 0);
    QProcess process;
    process.start(python, {sourcePath("tests/app/read_perfetto.py"), file});
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
    const QJsonArray processes = QJsonDocument::fromJson(process.readAllStandardOutput()).array();
    QCOMPARE(processes.size(), 2);
    QCOMPARE(processes[0]["name"].toString(), QString("Sequential"));
    QVERIFY(processes[0]["labels"].toArray().contains("sim:v100, simulated"));
    for (const char *schedule : {"sequential", "greedy"}) {
        const QJsonObject expected =
            cli({"timeline", "squeezenet", "--schedule", schedule, "-d", "sim:v100", "--json"}).json();
        const QJsonValue traced = processes[schedule == std::string("greedy")];
        QCOMPARE(traced["threads"].toObject().size(), expected["streams"].toInt() + 1);
        const QJsonArray stages = traced["threads"]["stages"].toArray();
        QCOMPARE(stages.size(), expected["stages"].toArray().size());
        QCOMPARE(stages.last()[2].toDouble() / 1000, expected["duration_us"].toDouble());
        qsizetype kernels = 0;
        for (const QJsonValue &thread : traced["threads"].toObject())
            kernels += thread.toArray().size();
        QCOMPARE(kernels - stages.size(), expected["kernels"].toArray().size());
        const QJsonArray counters = expected["counters"].toArray();
        QCOMPARE(traced["counters"].toObject().size(), counters.size());
        const QJsonValue warps = traced["counters"]["active warps (simulated)"];
        QCOMPARE(warps["unit"].toString(), QString("warps"));
        QCOMPARE(warps["values"].toArray().size(), counters[0]["values"].toArray().size());
    }
}

void TestCliExport::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status = 2) {
        QTest::newRow(name) << arguments << says << status;
    };
    row("no format", {"greedy", "-o", "a.bin"},
        "the name a.bin does not say which format is wanted. Say --format json");
    row("misspelt format", {"greedy", "--format", "csvv", "-o", "a.csv"}, "Did you mean csv? Use json, ios-json, csv");
    row("a folder named like a file", {"greedy", "--format", "pytorch", "-o", "a.json"},
        "a.json: the format pytorch writes a folder, not a file");
    row("a file of another kind", {"greedy", "--format", "csv", "-o", "other.json"},
        "other.json: the file is not replaced: it is a schedule file, not a table of this program (CSV). Name another");
    row("a file of another kind, drawn", {"greedy", "--format", "png", "-o", "other.json"},
        "other.json: the file is not replaced: it is a schedule file, not a PNG picture. Name another");
    row("misspelt view", {"greedy", "--view", "schedul", "-o", "a.csv"},
        "Did you mean schedule? Use schedule, graph, ");
    row("a view it has not", {"greedy", "--view", "timeline", "-o", "a.dot"},
        "--view: dot has no view timeline. Use schedule or");
    row("a comparison without a device", {"greedy", "--view", "comparison", "-o", "a.png"},
        "the view comparison needs a device. Say on which");
    row("a study of a schedule", {"greedy", "--view", "tradeoff", "-d", "sim:v100", "-o", "a.svg"},
        "the view tradeoff searches its own schedules, so greedy has no place in it. Leave it out");
    row("a specialisation of nothing", {"--view", "specialisation", "-d", "sim:v100", "-o", "a.pdf"},
        "the view specialisation compares batch sizes, devices, or both. Use --batches");
    row("batches of no study", {"greedy", "--batches", "1,2", "-o", "a.csv"},
        "--batches is of the view specialisation, not of schedule. Leave it out");
    row("bounds of no study", {"greedy", "--r", "2", "-o", "a.csv"}, "--r is of the view tradeoff, not of schedule");
    row("a scale without pixels", {"greedy", "--scale", "2", "-o", "a.svg"}, "--scale: an SVG picture has any size");
    row("a scale of no picture", {"greedy", "--scale", "2", "-o", "a.csv"}, "--scale: the format csv is not a picture");
    row("a scale beyond reason", {"greedy", "--scale", "1000", "-o", "a.png"}, "--scale");
    row("no schedule", {"-o", "a.csv"}, "no schedule is named. Name one: sequential");
    row("misspelt schedule", {"gredy", "-o", "a.csv"}, "Did you mean greedy?");
    row("a search without a device", {"ios-both", "-o", "a.csv"}, "ios-both has to be searched for. Say on which");
    row("a timeline without a device", {"greedy", "-o", "a.pftrace"}, "the view timeline needs a device. Say on which");
    row("two of one", {"greedy", "sequential", "-o", "a.csv"}, "the view schedule shows one schedule, and 2 are named");
    row("merge stages", {"ios-merge", "-d", "sim:v100", "--format", "ios-json", "-o", "a.json"},
        "sample: stage 1 merges its operators, which IOS JSON cannot say. Export a schedule without", 3);
    row("a theme of no picture", {"greedy", "--theme", "dark", "-o", "a.csv"},
        "--theme: the format csv is not a picture");
    row("an unknown theme", {"greedy", "--theme", "drak", "-o", "a.svg"}, "--theme: drak is not known. Use light");
    row("a full disk", {"greedy", "--format", "html", "-o", "/dev/full"}, "/dev/full: the file cannot be written", 3);
    row("a full disk, drawn", {"greedy", "--view", "graph", "--format", "png", "-o", "/dev/full"},
        "/dev/full: the file cannot be written", 3);
    row("unwritable folder, drawn", {"greedy", "-o", "nowhere/a.png"}, "nowhere/a.png: the file cannot be written", 3);
    row("unwritable folder", {"greedy", "-o", "nowhere/a.csv"}, "nowhere/a.csv: the file cannot be written", 3);
    row("a schedule of another model", {"other.json", "-o", "a.csv"}, "other.json", 3);
}

void TestCliExport::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "squeezenet", "greedy", "-o", folder.filePath("other.json")}).status, 0);
    const Answer answer = cli(QStringList{"export", "sample"} + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{"other.json"});
}

void TestCliExport::export_pictureOfTooManyPixels_isRefused()
{
    const QTemporaryDir folder;
    const Answer answer = cli({"export", "nasnet", "--view", "graph", "--scale", "16", "-o", "a.png"}, folder.path());
    QVERIFY2(answer.err.contains("pixels. Choose a smaller --scale, or svg or pdf"), answer.err);
    QCOMPARE(answer.status, 3);
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TestCliExport::export_pdfLargerThanAPage_isDrawnSmallerAndSaysSo()
{
    const QTemporaryDir folder;
    const Answer answer = cli({"export", "nasnet", "--view", "graph", "--scale", "4", "-o", "a.pdf"}, folder.path());
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.err.contains("of its size: a PDF page has at most 14,400 points on a side"), answer.err);
    QFile file(folder.filePath("a.pdf"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression box(R"(/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\])");
    const auto found = box.match(QString::fromLatin1(file.readAll()));
    QVERIFY(found.hasMatch());
    const double longest = std::max(found.captured(1).toDouble(), found.captured(2).toDouble());
    QVERIFY2(longest <= 14'400 && longest > 14'390, qPrintable(QString::number(longest)));
}

void TestCliExport::report_ofAFileMeasuredAgain_saysHowItWasMade()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"optimize", "sample", "-d", "sim:v100", "-o", "made.schedule.json"}, folder.path()).status, 0);
    QCOMPARE(
        cli({"export", "sample", "made.schedule.json", "-d", "sim:v100", "-o", "again.html"}, folder.path()).status, 0);
    QVERIFY(contentOf(folder.filePath("again.html")).contains("<td>made.schedule.json</td><td>ios-both</td>"));
}

void TestCliExport::export_reportOfOneResult_isNotComparedWithItself()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "sample", "ios-both", "-d", "sim:v100", "-o", "a.html"}, folder.path()).status, 0);
    QFile file(folder.filePath("a.html"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray page = file.readAll();
    QVERIFY(page.contains("288.8 us"));
    QVERIFY2(!page.contains("1.00x") && !page.contains("Speed-ups are over"), page);
}

void TestCliExport::export_reportOfInception_isSmallAndSaysWhatCompareSays()
{
    const QTemporaryDir folder;
    const Answer written = cli(
        {"export", "inception_v3", "sequential", "greedy", "ios-both", "-d", "sim:v100", "-o", "three.html", "--json"},
        folder.path());
    QVERIFY2(written.status == 0, written.err);
    const QByteArray page = contentOf(folder.filePath("three.html"));
    QCOMPARE(written.json()["bytes"].toInt(), static_cast<int>(page.size()));
    QVERIFY2(page.size() < 3'000'000, qPrintable(QString::number(page.size())));
    const QByteArray begin = "<script type=\"application/json\">";
    const qsizetype from = page.indexOf(begin) + begin.size();
    const QJsonObject data = QJsonDocument::fromJson(page.mid(from, page.indexOf("</script>", from) - from)).object();
    QCOMPARE(data["operators"].toArray().size(), 119);
    const QJsonObject compared =
        cli({"compare", "inception_v3", "-d", "sim:v100", "--json"}).json()["schedules"].toObject();
    const QJsonArray results = data["results"].toArray();
    const QStringList names{"sequential", "greedy", "ios-both"};
    QCOMPARE(results.size(), names.size());
    for (qsizetype i = 0; i < names.size(); ++i) {
        QCOMPARE(results[i]["latencyUs"].toDouble(), compared[names[i]].toObject()["latency_us"].toDouble());
        QCOMPARE(results[i]["stages"].toArray().size(), compared[names[i]].toObject()["stages"].toInt());
        QCOMPARE(results[i]["provenance"].toString(), QString("simulated"));
        QVERIFY(!results[i]["timeline"].toObject()["kernels"].toArray().isEmpty());
    }
}

void TestCliExport::export_standardOutput_isTheDocumentAlone()
{
    const Answer answer = cli({"export", "sample", "greedy", "--format", "csv", "-o", "-"});
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.out.startsWith("stage,block,"), answer.out);
    QVERIFY2(!answer.out.contains("wrote"), answer.out);
}

STAGECRAFT_SUITE(TestCliExport)

} // namespace tst_cli_export
#include "tst_cli_export.moc"
