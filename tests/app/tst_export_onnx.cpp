// export --format onnx: the file is the model under its schedule, for ONNX Runtime, PyPI's onnx and this program.

#include "results/files/schedule_json.h"
#include "support/cli_process.h"
#include "support/hand_made_schedule.h"
#include "support/opened_model.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "support/text_file.h"

#include <QDir>
#include <QJsonArray>
#include <QMap>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_onnx {

class TestExportOnnx : public QObject {
    Q_OBJECT

private slots:
    void export_networks_measureAlikeAndComputeAlike_data();
    void export_networks_measureAlikeAndComputeAlike();
    void export_streams_comeBackAndMeasureAlike();
    void export_forTensorRt_saysWhatItTakes_data();
    void export_forTensorRt_saysWhatItTakes();
    void export_forTensorRt_isReadBack();
    void export_recordedByTensorRt_isReadBack();
    void export_fileOfAnOpset_keepsIt();
    void export_largeWeights_goToADataFile();
    void embedded_whereThereIsNone_isRefused();
    void embedded_ofADamagedFile_isPassedOver();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
};

namespace {

// Of the trtexec command in what an export says: "--maxAuxStreams" is "3".
QMap<QString, QString> tensorRtOptions(const QByteArray &said)
{
    QMap<QString, QString> options;
    const qsizetype begin = said.indexOf("trtexec ");
    const QString line = QString::fromUtf8(said.mid(begin, said.indexOf('\n', begin) - begin));
    const QStringList words = begin < 0 ? QStringList() : QProcess::splitCommand(line);
    for (const QString &word : words)
        options[word.section('=', 0, 0)] = word.section('=', 1);
    return options;
}

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

void TestExportOnnx::export_forTensorRt_saysWhatItTakes_data()
{
    QTest::addColumn<QString>("schedule");
    QTest::addColumn<QByteArray>("merged");
    QTest::newRow("stages") << "both" << QByteArray("the model with 9 merges and");
    QTest::newRow("streams") << "nimble" << QByteArray("the model, in which nothing is merged here, and");
    QTest::newRow("one after another") << "sequential" << QByteArray("the model, in which nothing is merged here, and");
}

void TestExportOnnx::export_forTensorRt_saysWhatItTakes()
{
    QFETCH(const QString, schedule);
    QFETCH(const QByteArray, merged);
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.json");
    const QStringList made = schedule == "sequential"
                                 ? QStringList{"export", "inception_v3", schedule}
                                 : QStringList{"optimize", "inception_v3", "-d", "sim:v100", "--strategy", schedule};
    QCOMPARE(cli(made + QStringList{"-o", file}).status, 0);
    const QJsonObject read = QJsonDocument::fromJson(contentOf(file)).object();
    qsizetype widest = std::max<qsizetype>(1, read["streams"].toArray().size());
    for (const QJsonValue &stage : read["stages"].toArray()) {
        if (stage["strategy"] == "concurrent")
            widest = std::max(widest, stage["groups"].toArray().size());
    }
    QCOMPARE(widest > 1, schedule != "sequential");
    const QString net = folder.filePath("a net's.onnx");
    const Answer answer = cli({"export", "inception_v3", file, "-o", net});
    QVERIFY2(answer.status == 0 && answer.err.contains(merged), answer.err);
    QVERIFY2(answer.err.contains(("trtexec '--onnx=" + QString(net).replace("'", "'\\''") + "' ").toUtf8()),
             answer.err);
    QCOMPARE(tensorRtOptions(answer.err)["--maxAuxStreams"].toInt(), widest - 1);
    QVERIFY(answer.err.contains("takes neither stages nor streams of layers"));
}

// The layers as TensorRT names them: a convolution with its activation is one, of merged operators too.
void TestExportOnnx::export_forTensorRt_isReadBack()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"optimize", "sample", "-d", "sim:v100", "-o", folder.filePath("s.json")}).status, 0);
    const Answer exported = cli({"export", "sample", "s.json", "-o", "staged.onnx"}, folder.path());
    const auto options = tensorRtOptions(exported.err);
    const QStringList names{options["--exportProfile"], options["--exportLayerInfo"], options["--exportTimes"]};
    QCOMPARE(names, (QStringList{"staged.profile.json", "staged.layers.json", "staged.times.json"}));
    QCOMPARE(options["--onnx"], QString("staged.onnx"));
    QCOMPARE(options["--profilingVerbosity"], QString("detailed"));
    QByteArray times(R"([{"count": 10})");
    QByteArray layers;
    for (const char *layer : {"conv1+conv2 + conv1+conv2/after", "conv1+conv2/split", "conv3 + conv3/after",
                              "conv4 + conv4/after", "concat"}) {
        times += QByteArray(R"(, {"name": "%", "timeMs": 1, "averageMs": 0.1, "percentage": 20})").replace('%', layer);
        layers += QByteArray(layers.isEmpty() ? "" : ", ") +
                  QByteArray(R"({"Name": "%", "LayerType": "CaskConvolution", "Outputs": []})").replace('%', layer);
    }
    write(folder.filePath(names[0]), times + "]");
    write(folder.filePath(names[1]), R"({"Layers": [)" + layers + "]}");
    write(folder.filePath(names[2]), R"([{"computeMs": 0.4}, {"computeMs": 0.5}, {"computeMs": 0.45}])");
    const Answer answer = cli(QStringList{"profile", "staged.onnx"} + names + QStringList{"--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject profile = answer.json();
    QCOMPARE(profile["profile_format"].toString(), QString("tensorrt"));
    QCOMPARE(profile["unmapped_us"].toDouble(), 0.0);
    QCOMPARE(profile["latency_us"].toDouble(), 450.0);
}

// The files of a run of TensorRT, under the names of the recipe.
void TestExportOnnx::export_recordedByTensorRt_isReadBack()
{
    const QString folderOfThem = sharedDataPath("profiles/tensorrt");
    if (folderOfThem.isEmpty())
        QSKIP(kNoSharedData);
    const QTemporaryDir folder;
    const Answer exported =
        cli({"export", folderOfThem + "/resnet18.onnx", "greedy", "-o", "staged.onnx"}, folder.path());
    QVERIFY2(exported.status == 0, exported.err);
    const auto options = tensorRtOptions(exported.err);
    const auto copy = [&](const char *recorded, const QString &name) {
        return QFile::copy(folderOfThem + "/pytorch_A100_fp32." + recorded, folder.filePath(name));
    };
    QVERIFY(copy("profile.json", options["--exportProfile"]) && copy("graph.json", options["--exportLayerInfo"]));
    QVERIFY(copy("timing.json.gz", options["--exportTimes"]));
    const Answer answer = cli({"profile", "staged.onnx", options["--exportProfile"], options["--exportLayerInfo"],
                               options["--exportTimes"], "--json"},
                              folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject profile = answer.json();
    QVERIFY(profile["latency_us"].toDouble() > 0);
    QVERIFY2(profile["unmapped_us"].toDouble() < 0.05 * profile["sum_us"].toDouble(), answer.out.left(900));
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
