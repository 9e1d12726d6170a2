// export --format onnxruntime: ONNX Runtime runs every folder with its streams, at every level of its optimiser, and
// computes what it computes without them. Needs a Python with onnxruntime, see packaging/test.sh; skipped with the
// reason if there is none.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/exported_project.h"
#include "support/folder_refusals.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_onnxruntime {

namespace {

QStringList namesIn(const QString &streams)
{
    QFile file(streams);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QStringList names;
    for (const QJsonValue &stream : QJsonDocument::fromJson(file.readAll()).object()["streams"].toArray()) {
        for (const QJsonValue &name : stream.toArray())
            names << name.toString();
    }
    return names;
}

} // namespace

class TestExportOnnxRuntime : public QObject {
    Q_OBJECT

private slots:
    void export_networks_runOnTheirStreams_data();
    void export_networks_runOnTheirStreams();
    void memory_networks_asItsArena_data();
    void memory_networks_asItsArena();
    void save_optimised_runsAsItIs();
    void program_built_runsOnTheStreams();
    void export_again_replacesItsOwnFolderOnly();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
};

void TestExportOnnxRuntime::export_networks_runOnTheirStreams_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("strategy");
    for (const char *network : {"sample", "squeezenet", "inception_v3", "nasnet"})
        QTest::newRow(network) << QString(network) << "both";
    QTest::newRow("names of a file") << sourcePath("tests/data/onnx/external.onnx") << "both";
    QTest::newRow("inception_v3, merged in streams") << "inception_v3"
                                                     << "ios-relaxed";
}

void TestExportOnnxRuntime::export_networks_runOnTheirStreams()
{
    QFETCH(const QString, model);
    QFETCH(const QString, strategy);
    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnxruntime; packaging/test.sh installs it");
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("s.json");
    QCOMPARE(cli({"optimize", model, "-d", "sim:v100", "--strategy", strategy, "--r", "2", "--s", "4", "-o", schedule})
                 .status,
             0);
    const QString net = folder.filePath("net");
    const Answer written = cli({"export", model, schedule, "--format", "onnxruntime", "-o", net});
    QVERIFY2(written.status == 0, written.err);
    QStringList names = namesIn(QDir(net).filePath("streams.json"));
    QVERIFY(!names.isEmpty());
    QCOMPARE(names.removeDuplicates(), 0);

    const auto ran = [&](const QStringList &options, const QString &output) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(python, QStringList{QDir(net).filePath("run.py"), "--output", output} + options);
        const bool ended = process.waitForFinished(280'000);
        const QByteArray said = process.readAll();
        if (!ended || process.exitCode() != 0)
            qWarning("%s", said.constData());
        return ended && process.exitCode() == 0;
    };
    const QString alone = folder.filePath("alone.npy");
    QVERIFY(ran({"--sequential"}, alone));
    const auto expected = readNpy(alone.toStdString());
    QVERIFY(expected && !expected->values.empty());
    for (const char *level : {"none", "extended", "all"}) {
        const QString together = folder.filePath(QString("%1.npy").arg(level));
        QVERIFY2(ran({"--level", level}, together), level);
        const auto computed = readNpy(together.toStdString());
        QVERIFY(computed && computed->shape == expected->shape);
        float apart = 0;
        float largest = 0;
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            apart = std::max(apart, std::abs(computed->values[i] - expected->values[i]));
            largest = std::max(largest, std::abs(expected->values[i]));
        }
        QVERIFY2(apart <= 1e-4F * largest, qPrintable(QString("%1: %2 of %3").arg(level).arg(apart).arg(largest)));
    }
}

void TestExportOnnxRuntime::memory_networks_asItsArena_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("schedule");
    for (const char *network :
         {"squeezenet", "googlenet", "inception_v3", "shufflenet_v2", "mobilenet_v2", "resnet50"}) {
        for (const char *schedule : {"sequential", "greedy"})
            QTest::addRow("%s, %s", network, schedule) << QString(network) << QString(schedule);
    }
}

void TestExportOnnxRuntime::memory_networks_asItsArena()
{
    QFETCH(const QString, model);
    QFETCH(const QString, schedule);
    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnxruntime; packaging/test.sh installs it");
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    const Answer written = cli({"export", model, schedule, "--format", "onnxruntime", "-o", net});
    QVERIFY2(written.status == 0, written.err);
    QProcess process;
    process.start(python, {sourcePath("tests/app/onnxruntime_arena.py"), net});
    QVERIFY(process.waitForFinished(280'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
    const QByteArray told = process.readAllStandardOutput().trimmed().split('\n').last();
    if (told == "untold")
        QSKIP("this ONNX Runtime does not say what its arena holds");

    const Answer planned = cli({"memory", model, "--schedule", schedule, "--target", "onnxruntime", "--json"});
    QVERIFY2(planned.status == 0, planned.err);
    const QJsonArray targets = QJsonDocument::fromJson(planned.out).object()["targets"].toArray();
    QCOMPARE(targets.size(), 1);
    const double held = told.toDouble();
    const double predicted = targets[0].toObject()["held_bytes"].toDouble();
    QVERIFY2(std::abs(predicted / held - 1) <= 0.1,
             qPrintable(QString("predicted %1, holds %2").arg(predicted, 0, 'f', 0).arg(held, 0, 'f', 0)));
}

void TestExportOnnxRuntime::save_optimised_runsAsItIs()
{
    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnxruntime; packaging/test.sh installs it");
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    QCOMPARE(cli({"export", "squeezenet", "greedy", "--format", "onnxruntime", "-o", net}).status, 0);
    const QString saved = folder.filePath("saved");
    const QStringList save{QDir(net).filePath("run.py"), "--level", "all", "--save", saved};
    QCOMPARE(QProcess::execute(python, save), 0);
    QVERIFY(QProcess::execute(python, save) != 0); // it is there already
    QVERIFY(namesIn(QDir(saved).filePath("streams.json")).contains("conv1_nchwc"));
    QVERIFY(QFile::copy(QDir(net).filePath("run.py"), QDir(saved).filePath("run.py")));
    std::vector<HostTensor> outputs;
    for (const QString &each : {net, saved}) {
        const QString file = folder.filePath("y.npy");
        QCOMPARE(QProcess::execute(python, {QDir(each).filePath("run.py"), "--level", "none", "--output", file}), 0);
        outputs.push_back(*readNpy(file.toStdString()));
    }
    QCOMPARE(outputs[0].values.size(), outputs[1].values.size());
    for (std::size_t i = 0; i < outputs[0].values.size(); ++i)
        QVERIFY(std::abs(outputs[0].values[i] - outputs[1].values[i]) < 1e-4F);
}

// STAGECRAFT_ONNXRUNTIME_ROOT: a folder with include and lib of ONNX Runtime.
void TestExportOnnxRuntime::program_built_runsOnTheStreams()
{
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    QCOMPARE(cli({"export", "squeezenet", "greedy", "--format", "onnxruntime", "-o", net}).status, 0);
    QFile manifest(QDir(net).filePath("MANIFEST.sha256"));
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    const QByteArray listed = manifest.readAll();
    QVERIFY2(listed.contains(" run.cpp\n") && listed.contains(" CMakeLists.txt\n"), listed);

    const QString built = folder.filePath("built");
    const Finished finished =
        build(net, built, {"-DONNXRUNTIME_ROOT=" + qEnvironmentVariable("STAGECRAFT_ONNXRUNTIME_ROOT")});
    if (finished.text.contains("ONNX Runtime for C++ is not found"))
        QSKIP("headers and library of ONNX Runtime are not found; STAGECRAFT_ONNXRUNTIME_ROOT names their folder");
    QVERIFY2(finished.status == 0 && !finished.text.contains("warning:"), finished.text);
    const QString program = QDir(built).filePath("run");
    const Finished once = start(program, {});
    QVERIFY2(once.status == 0 && once.text.contains(": 1 1000"), once.text);
    for (const char *level : {"none", "extended", "all"}) {
        const Finished compared = start(program, {"--level", level, "--benchmark", "2"});
        QVERIFY2(compared.status == 0 && compared.text.contains("streams: median "), compared.text);
        const QByteArray apart = compared.text.mid(compared.text.indexOf("outputs: at most ")).split(' ').value(3);
        bool isNumber = false;
        QVERIFY2(apart.toDouble(&isNumber) <= 1e-4 && isNumber, compared.text);
    }
    QFile streams(QDir(net).filePath("streams.json"));
    QVERIFY(streams.open(QIODevice::WriteOnly) && streams.write("{}") == 2);
    streams.close();
    const Finished refused = start(program, {});
    QVERIFY2(refused.status == 1 && refused.text.contains("streams.json: it lists no streams"), refused.text);
    QCOMPARE(start(program, {"--level", "most"}).status, 2);
}

void TestExportOnnxRuntime::export_again_replacesItsOwnFolderOnly()
{
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    const QStringList command{"export", "sample", "greedy", "--format", "onnxruntime", "-o", net};
    QCOMPARE(cli(command).status, 0);
    QCOMPARE(cli(command + QStringList{"--target", "cuda"}).status, 0);
    QFile page(QDir(net).filePath("README.md"));
    QVERIFY(page.open(QIODevice::ReadOnly) && page.readAll().contains("has not been run on a GPU"));
    QFile own(QDir(net).filePath("notes.txt"));
    QVERIFY(own.open(QIODevice::WriteOnly));
    const Answer refused = cli(command);
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("notes.txt"), refused.err);
}

void TestExportOnnxRuntime::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    addFolderRefusals("onnxruntime");
    QTest::newRow("another target") << QStringList{"sample", "greedy", "--target", "tpu", "-o", "net"}
                                    << QByteArray("--target: tpu is not known") << 2;
}

void TestExportOnnxRuntime::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "squeezenet", "greedy", "-o", folder.filePath("other.json")}).status, 0);
    const Answer answer = cli(QStringList{"export", "--format", "onnxruntime"} + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{"other.json"});
}

STAGECRAFT_SUITE(TestExportOnnxRuntime)

} // namespace tst_export_onnxruntime
#include "tst_export_onnxruntime.moc"
