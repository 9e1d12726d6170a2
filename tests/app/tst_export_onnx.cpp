// export --format onnx: the file is the model under its schedule, for ONNX Runtime, PyPI's onnx and this program.

#include "results/files/schedule_json.h"
#include "support/cli_process.h"
#include "support/hand_made_schedule.h"
#include "support/opened_model.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"
#include "support/text_file.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_onnx {

class TestExportOnnx : public QObject {
    Q_OBJECT

private slots:
    void export_networks_measureAlikeAndComputeAlike_data();
    void export_networks_measureAlikeAndComputeAlike();
    void export_streams_comeBackAndMeasureAlike();
    void export_fileOfAnOpset_keepsIt();
    void export_largeWeights_goToADataFile();
    void embedded_whereThereIsNone_isRefused();
    void embedded_ofADamagedFile_isPassedOver();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
};

namespace {

// The names of a schedule's stages, with strategy and block.
QJsonArray stagesIn(const QString &schedule)
{
    QJsonArray stages;
    for (const QJsonValue &stage : QJsonDocument::fromJson(contentOf(schedule))["stages"].toArray())
        stages.append(
            QJsonObject{{"block", stage["block"]}, {"strategy", stage["strategy"]}, {"groups", stage["groups"]}});
    return stages;
}

} // namespace

void TestExportOnnx::export_networks_measureAlikeAndComputeAlike_data()
{
    QTest::addColumn<QString>("network");
    for (const char *network : {"sample", "squeezenet", "inception_v3", "randwire"})
        QTest::newRow(network) << QString(network);
}

// A hand-made schedule with merge stages, where the network has any to merge.
void TestExportOnnx::export_networks_measureAlikeAndComputeAlike()
{
    QFETCH(const QString, network);
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("s.json");
    const auto model = openedModel(network.toStdString());
    QVERIFY(model);
    TimedSchedule made = handMadeSchedule(*model->graph, model->blocks);
    made.context.model = {model->name, model->sha256};
    QVERIFY(writeTextFile(schedule.toStdString(), toJson(*model->graph, made)));

    const QString file = folder.filePath("net.onnx");
    const Answer answer = cli({"export", network, schedule, "-o", file, "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(answer.json()["export_format"].toString(), QString("onnx"));
    qint64 bytes = 0;
    for (const QFileInfo &one : QDir(folder.path()).entryInfoList({"net.*"}))
        bytes += one.size();
    QCOMPARE(static_cast<qint64>(answer.json()["bytes"].toDouble()), bytes);

    const QString again = folder.filePath("again.json");
    QCOMPARE(cli({"export", file, "embedded", "-o", again}).status, 0);
    QCOMPARE(stagesIn(again), stagesIn(schedule));
    const auto measured = [](const QString &spec, const QString &of) {
        const QJsonObject told = cli({"measure", spec, "--schedule", of, "-d", "sim:v100", "--json"}).json();
        return told["stage_latency_us"].toArray() + QJsonArray{told["latency_us"]};
    };
    QCOMPARE(measured(file, "embedded"), measured(network, schedule));

    const QString python = pythonWith("onnx, onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
    const QString plain = folder.filePath("plain.onnx");
    QCOMPARE(cli({"convert", network, "-o", plain}).status, 0);
    QProcess process;
    process.start(python, {sourcePath("tests/app/staged_onnx.py"), plain, file, schedule});
    QVERIFY(process.waitForFinished(110'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
}

// Nodes say their launch, stream and waits; the schedule in the file is the one that was exported.
void TestExportOnnx::export_streams_comeBackAndMeasureAlike()
{
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("s.json");
    QCOMPARE(cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "opara", "-o", schedule}).status, 0);
    const QString file = folder.filePath("net.onnx");
    QCOMPARE(cli({"export", "squeezenet", schedule, "-o", file}).status, 0);
    const QString again = folder.filePath("again.json");
    QCOMPARE(cli({"export", file, "embedded", "-o", again}).status, 0);
    const auto streamsIn = [](const QString &path) {
        const QJsonObject object = QJsonDocument::fromJson(contentOf(path)).object();
        return QJsonArray{object["streams"], object["launch_order"], object["events"]};
    };
    QCOMPARE(streamsIn(again), streamsIn(schedule));
    QVERIFY(!streamsIn(again)[2].toArray().isEmpty());
    const auto latency = [](const QString &spec, const QString &of) {
        return cli({"measure", spec, "--schedule", of, "-d", "sim:v100", "--json"}).json()["latency_us"].toDouble();
    };
    QCOMPARE(latency(file, "embedded"), latency("squeezenet", schedule));
    const QByteArray bytes = contentOf(file);
    for (const char *key : {"stagecraft.launch", "stagecraft.stream", "stagecraft.waits"})
        QVERIFY2(bytes.contains(key), key);
}

void TestExportOnnx::export_fileOfAnOpset_keepsIt()
{
    const QTemporaryDir folder;
    const QString data = sourcePath("tests/data/onnx/");
    for (const QString &name : QDir(data).entryList({"*.onnx"}, QDir::Files)) {
        const auto model = openedModel((data + name).toStdString(), {.keepSource = true});
        if (name == "names_with_controls.onnx")
            continue; // names that are not UTF-8 cannot be in a schedule file
        const QString file = folder.filePath(name);
        if (!model || cli({"convert", data + name, "-o", file}).status != 0)
            continue; // not readable, or not writable as ONNX: see tst_convert
        QCOMPARE(cli({"export", data + name, "greedy", "-o", file}).status, 0);
        const auto again = openModel({file.toStdString()});
        QVERIFY2(again && again->embedded, qPrintable(name));
        QCOMPARE(again->model.blocks, model->blocks);
        QCOMPARE(again->model.graph->size(), model->graph->size());
    }
    QVERIFY(QDir(folder.path()).entryList(QDir::Files).size() > 5);
}

void TestExportOnnx::export_largeWeights_goToADataFile()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("net.onnx");
    const Answer answer = cli({"export", "inception_v3", "greedy", "-o", file, "--json"});
    QCOMPARE(answer.json()["files"].toInt(), 2);
    QVERIFY(QFile::exists(file + ".data"));
    QCOMPARE(cli({"export", file, "embedded", "-o", folder.filePath("other.onnx")}).status, 0); // merges read from it
    const Answer refused = cli({"export", file, "embedded", "-o", file});
    QCOMPARE(refused.status, 2);
}

void TestExportOnnx::embedded_whereThereIsNone_isRefused()
{
    for (const QStringList &command : {QStringList{"measure", "sample", "--schedule", "embedded"},
                                       {"compare", "sample", "--schedule", "embedded"},
                                       {"export", "sample", "embedded", "--format", "csv", "-o", "-"}}) {
        const Answer answer = cli(command);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("--schedule embedded: sample has no schedule in it. Use sequential, greedy or a"),
                 answer.err);
    }
}

void TestExportOnnx::embedded_ofADamagedFile_isPassedOver()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("net.onnx");
    QCOMPARE(cli({"export", "sample", "greedy", "-o", file}).status, 0);
    QByteArray bytes = contentOf(file);
    const QByteArray stated = "\"stagecraft-schedule\"";
    QVERIFY(bytes.contains(stated));
    write(file, bytes.replace(stated, "\"stagecraft-scheduel\""));
    const Answer answer = cli({"measure", file, "--schedule", "greedy", "-d", "sim:v100"});
    QVERIFY2(answer.status == 0 &&
                 answer.err.contains("note: The schedule in the file is not used: schedule: \"format\""),
             answer.err);
}

void TestExportOnnx::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status) {
        QTest::newRow(name) << arguments << says << status;
    };
    row("unwritable", {"sample", "greedy", "-o", "nowhere/a.onnx"}, "nowhere/a.onnx: the file cannot be written", 3);
    row("a full disk", {"sample", "greedy", "--format", "onnx", "-o", "/dev/full"},
        "/dev/full: the file cannot be written: No space left", 3);
    row("a schedule of another model", {"sample", "other.json", "-o", "a.onnx"}, "other.json", 3);
    row("another view", {"sample", "greedy", "--view", "timeline", "-o", "a.onnx"}, "--view: onnx has no view", 2);
    row("two schedules", {"sample", "greedy", "sequential", "-o", "a.onnx"}, "shows one schedule, and 2 are named", 2);
}

void TestExportOnnx::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "squeezenet", "greedy", "-o", folder.filePath("other.json")}).status, 0);
    const Answer answer = cli(QStringList{"export"} + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{"other.json"});
}

STAGECRAFT_SUITE(TestExportOnnx)

} // namespace tst_export_onnx
#include "tst_export_onnx.moc"
