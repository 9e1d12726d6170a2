// export --format pytorch: every module is Python; where PyTorch is installed it computes what `run` computes, and what
// it would give a GPU is safe by `verify`.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/folder_refusals.h"
#include "support/opened_model.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QJsonArray>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_pytorch {

namespace {

struct Finished {
    int status = -1;
    QByteArray text;
};

Finished start(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool ended = process.waitForFinished(280'000);
    return {ended ? process.exitCode() : -1, process.readAll()};
}

HostTensor randomTensor(const Tensor &tensor)
{
    QRandomGenerator random(7);
    HostTensor made{tensor.name, tensor.shape, {}};
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
        made.values.push_back(static_cast<float>(random.generateDouble() * 2 - 1));
    return made;
}

// What names its kernels, by its file: "stage 1, group 2 / conv".
QJsonArray labelsOf(const QJsonObject &schedule)
{
    QJsonArray labels;
    const auto add = [&](const char *part, qsizetype number, const char *within, qsizetype index,
                         const QStringList &operators) {
        labels.append(
            QString("%1 %2, %3 %4 / %5").arg(part).arg(number).arg(within).arg(index).arg(operators.join(" + ")));
    };
    const auto namesIn = [](const QJsonValue &names) {
        return names.isArray() ? names.toVariant().toStringList() : QStringList{names.toString()};
    };
    const QJsonArray stages = schedule["stages"].toArray();
    for (qsizetype stage = 0; stage < stages.size(); ++stage) {
        const QJsonArray groups = stages[stage]["groups"].toArray();
        QStringList merged;
        for (qsizetype group = 0; group < groups.size(); ++group) {
            if (stages[stage]["strategy"] == "merge")
                merged += namesIn(groups[group]);
            else
                for (const QString &name : namesIn(groups[group]))
                    add("stage", stage + 1, "group", group + 1, {name});
        }
        if (!merged.isEmpty())
            add("stage", stage + 1, "group", 1, merged);
    }
    const QStringList order = namesIn(schedule["launch_order"]);
    const QJsonArray streams = schedule["streams"].toArray();
    for (qsizetype stream = 0; stream < streams.size(); ++stream) {
        for (const QJsonValue &launch : streams[stream].toArray()) {
            const QStringList names = namesIn(launch);
            add("launch", order.indexOf(names.first()) + 1, "stream", stream + 1, names);
        }
    }
    return labels;
}

QString python()
{
    return QStandardPaths::findExecutable("python3");
}

} // namespace

class TestExportPytorch : public QObject {
    Q_OBJECT

private slots:
    void init();
    void export_networks_computeWhatRunComputes_data();
    void export_networks_computeWhatRunComputes();
    void export_onnxFiles_computeWhatRunComputes();
    void export_hostileNames_stayHarmless();
    void export_again_givesTheSameBytes();
    void export_statedLayouts_saysThatTheyAreLeftOut();
    void export_numerics_areAsTheScheduleWasChosen_data();
    void export_numerics_areAsTheScheduleWasChosen();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
    void export_fullDisk_leavesNoFolder();

private:
    // Compiles the module; where there is a PyTorch, adds a case for exported_modules.py, with what `run` computes.
    // `damaged`: what makes its run safe is taken away, too.
    void add(const QString &spec, const QString &schedule, const QTemporaryDir &folder, const QString &net,
             bool damaged = false);
    void runAll(const QTemporaryDir &folder);
    void verifyPlans(const QTemporaryDir &folder, const QStringList &kinds, bool areSafe);

    QString m_torch;
    QJsonArray m_cases;
};

void TestExportPytorch::init()
{
    m_torch = pythonWith("torch, numpy");
    m_cases = {};
}

void TestExportPytorch::add(const QString &spec, const QString &schedule, const QTemporaryDir &folder,
                            const QString &net, bool damaged)
{
    const QString module = folder.filePath(net + '/' + QDir(folder.filePath(net)).entryList({"*.py"}).value(0));
    const Finished compiled = start(python(), {"-m", "py_compile", module});
    QVERIFY2(compiled.status == 0, compiled.text);
    const auto model = openedModel(spec.toStdString());
    if (m_torch.isEmpty() || !model)
        return;
    QJsonArray inputs;
    QJsonArray outputs;
    QStringList options;
    for (const TensorId id : model->graph->inputs()) {
        const Tensor &tensor = model->graph->tensor(id);
        const QString file = folder.filePath(net + QString(".x%1.npy").arg(inputs.size()));
        QVERIFY(writeNpy(file.toStdString(), randomTensor(tensor)));
        inputs.append(file);
        options += {"--input", QString::fromStdString(tensor.name) + '=' + file};
    }
    for (const TensorId id : model->graph->outputs()) {
        const QString tensor = QString::fromStdString(model->graph->tensor(id).name);
        outputs.append(folder.filePath(net + QString(".y%1.npy").arg(outputs.size())));
        const Answer ran =
            cli(QStringList{"run", spec, "--schedule", schedule, "--tensor", tensor, "-o", outputs.last().toString()} +
                options);
        if (ran.status != 0)
            return; // cpu does not execute it
    }
    // PyTorch computes in float32 what the cpu rounds to float16 on the way.
    const bool isHalf = std::ranges::count(model->graph->tensors(), DataType::Float16, &Tensor::type) > 0;
    m_cases.append(QJsonObject{{"module", module},
                               {"inputs", inputs},
                               {"outputs", outputs},
                               {"bound", isHalf ? 1e-2 : 1e-4},
                               {"plans", folder.filePath(net + ".plan")},
                               {"labels", labelsOf(QJsonDocument::fromJson(contentOf(schedule)).object())},
                               {"damaged", damaged}});
}

void TestExportPytorch::runAll(const QTemporaryDir &folder)
{
    if (m_torch.isEmpty())
        QSKIP("there is no Python with torch and numpy: the modules were compiled, not run");
    QVERIFY(!m_cases.isEmpty());
    write(folder.filePath("cases.json"), QJsonDocument(m_cases).toJson());
    const Finished done = start(m_torch, {sourcePath("tests/app/exported_modules.py"), folder.filePath("cases.json")});
    QVERIFY2(done.status == 0, done.text.right(900)); // a message is cut off behind
    qInfo().noquote() << m_cases.size() << "modules compute what run computes";
    qInfo().noquote() << done.text.left(900);
    verifyPlans(folder, {"run", "capture-*", "harmless"}, true);
    verifyPlans(folder, {"dropped-*", "forgetful"}, false);
}

void TestExportPytorch::verifyPlans(const QTemporaryDir &folder, const QStringList &kinds, bool areSafe)
{
    QStringList names;
    for (const QString &kind : kinds)
        names += QDir(folder.path()).entryList({"*.plan." + kind}, QDir::Files);
    if (names.isEmpty())
        return;
    const Answer answer = cli(QStringList{"verify", "--json"} + names, folder.path());
    QVERIFY2(answer.status == (areSafe ? 0 : 1), answer.err + answer.out.left(900));
    const QJsonArray plans = answer.json()["plans"].toArray();
    QCOMPARE(plans.size(), names.size());
    for (const QJsonValue &plan : plans) {
        QVERIFY2(plan["passed"].toBool() == areSafe, qPrintable(plan["file"].toString()));
        QVERIFY(plan["launches"].toInt() > 0);
    }
}

void TestExportPytorch::export_networks_computeWhatRunComputes_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<bool>("isDamaged");
    QTest::addColumn<bool>("isReused"); // what is let go too early, by the allocator
    const auto row = [](const char *name, const char *network, const char *strategy, bool isDamaged = false,
                        bool isReused = false) {
        QTest::newRow(name) << QString(network) << QString(strategy) << isDamaged << isReused;
    };
    row("sample", "sample", "both", true);
    row("sample, its output on another stream", "sample", "opara", true);
    for (const char *network : {"squeezenet", "inception_v3", "nasnet", "randwire"})
        row(network, network, "both");
    row("googlenet, launch orders", "googlenet", "launch-order", true, true);
    row("googlenet, streams", "googlenet", "ios-relaxed", true);
    row("inception_v3, merged in streams", "inception_v3", "ios-relaxed");
    row("randwire, streams", "randwire", "nimble", true, true);
}

void TestExportPytorch::export_networks_computeWhatRunComputes()
{
    QFETCH(const QString, network);
    QFETCH(const QString, strategy);
    QFETCH(const bool, isDamaged);
    QFETCH(const bool, isReused);
    const QTemporaryDir folder;
    const QString schedule = folder.filePath("s.json");
    QStringList search{"optimize", network, "-d", "sim:v100", "-o", schedule};
    search += strategy == "launch-order" ? QStringList{"--launch-order"} : QStringList{"--strategy", strategy};
    if (strategy == "both")
        search += {"--r", "2", "--s", "4"};
    QCOMPARE(cli(search).status, 0);
    const Answer answer =
        cli({"export", network, schedule, "--format", "pytorch", "-o", folder.filePath("net"), "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(answer.json()["files"].toInt(), 5);
    const QByteArray module = contentOf(folder.filePath("net/" + network + ".py"));
    QCOMPARE(module.contains("def run_in_turns("), strategy == "launch-order");
    QCOMPARE(module.contains("self.run_in_turns("), strategy == "launch-order");
    add(network, schedule, folder, "net", isDamaged);
    runAll(folder);
    if (QTest::currentTestFailed() || m_torch.isEmpty())
        return;
    const auto plans = [&](const char *kind) { return QDir(folder.path()).entryList({kind}, QDir::Files).size(); };
    QCOMPARE(plans("net.plan.dropped-*") > 1, isDamaged);
    QCOMPARE(plans("net.plan.forgetful"), isReused ? 1 : 0);
    QCOMPARE(plans("net.plan.harmless"), isDamaged && !isReused ? 1 : 0);
}

void TestExportPytorch::export_onnxFiles_computeWhatRunComputes()
{
    const QTemporaryDir folder;
    const QString data = sourcePath("tests/data/onnx/");
    int exported = 0;
    for (const QString &name : QDir(data).entryList({"*.onnx"}, QDir::Files)) {
        const Answer answer =
            cli({"export", data + name, "greedy", "--format", "pytorch", "-o", folder.filePath(name + ".net")});
        if (answer.status != 0) {
            QVERIFY2(answer.err.contains(name.toUtf8()), answer.err);
            continue;
        }
        ++exported;
        add(data + name, "greedy", folder, name + ".net");
    }
    QVERIFY(exported > 3);
    runAll(folder);
}

void TestExportPytorch::export_hostileNames_stayHarmless()
{
    const QTemporaryDir folder;
    const QString model = folder.filePath("import \"\"\" \\ $(touch owned).json");
    const auto node = [](const QByteArray &name, const QByteArray &input) {
        return R"({"type": "conv", "name": ")" + name + R"(", "input_shape": [4, 6, 6], "output_shape": [4, 6, 6],
                   "inputs": [[[")" +
               input + R"(", 0, 4]]], "out_channels": 4, "kernel": [3, 3], "stride": [1, 1],
                   "padding": [1, 1], "groups": 1, "act": "relu"})";
    };
    const QByteArray input = R"(in\"\"\"\\\n*/ \u65e5)";
    write(model, R"({"name": "net", "input": {"type": "placeholder", "name": ")" + input +
                     R"(", "output_shape": [4, 6, 6]}, "blocks": [{"inner_nodes": [)" + node("lambda", input) + ", " +
                     node("self.t = __import__('os')\\n", "lambda") + R"(], "exit_node": )" +
                     node(QByteArray(4000, '/'), "self.t = __import__('os')\\n") + "}]}");
    const Answer answer = cli({"export", model, "greedy", "--format", "pytorch", "-o", folder.filePath("net")});
    QVERIFY2(answer.status == 0, answer.err);
    const QString module = QDir(folder.filePath("net")).entryList({"*.py"}).value(0);
    const QByteArray text = contentOf(folder.filePath("net/" + module));
    QVERIFY2(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }), text);
    const QString schedule = folder.filePath("greedy.json");
    QCOMPARE(cli({"export", model, "greedy", "-o", schedule}).status, 0);
    add(model, schedule, folder, "net");
    runAll(folder);
}

void TestExportPytorch::export_statedLayouts_saysThatTheyAreLeftOut()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("greedy.schedule.json");
    QCOMPARE(cli({"export", "sample", "greedy", "--format", "json", "-o", file}).status, 0);
    QJsonObject schedule = QJsonDocument::fromJson(contentOf(file)).object();
    const QString tensor = schedule["stages"][0]["groups"][0][0].toString(); // its operator has the same name
    schedule["layouts"] = QJsonObject{{tensor, "NHWC"}};
    write(file, QJsonDocument(schedule).toJson());
    const Answer answer = cli({"export", "sample", file, "--format", "pytorch", "-o", folder.filePath("net")});
    QVERIFY2(answer.status == 0 && answer.err.contains("note: the layouts that the schedule states are left out"),
             answer.err);
}

void TestExportPytorch::export_numerics_areAsTheScheduleWasChosen_data()
{
    QTest::addColumn<QString>("device"); // what the file says
    QTest::addColumn<QString>("precision");
    QTest::addColumn<int>("channelsLast"); // images that are stated so, of the five
    QTest::addColumn<QByteArray>("tf32");
    QTest::addColumn<bool>("areLast");
    const auto row = [](const char *device, const char *precision, int channelsLast, const char *tf32, bool areLast) {
        QTest::addRow("%s %s %d", device, precision, channelsLast)
            << QString(device) << QString(precision) << channelsLast << QByteArray(tf32) << areLast;
    };
    row("", "fp32", 0, "None", false);
    row("sim:v100", "fp32", 0, "\"none\"", false);
    row("sim:a100", "fp32 with tf32 convolutions", 0, "\"convolutions\"", false);
    row("sim:a100:tf32", "tf32", 0, "\"all\"", false);
    row("sim:a100:fp16", "fp16", 0, "None", false);
    row("gpu:0", "fp32", 0, "\"none\"", false);
    row("gpu:0:nhwc", "fp32", 0, "\"none\"", true);
    row("gpu:0:tf32", "tf32", 0, "\"all\"", true);
    row("gpu:0:tf32:nchw", "tf32", 0, "\"all\"", false);
    row("cpu", "fp32", 3, "\"none\"", true);
    row("cpu", "fp32", 2, "\"none\"", false);
    row("gpu:0:tf32", "tf32", 2, "\"all\"", false);
}

void TestExportPytorch::export_numerics_areAsTheScheduleWasChosen()
{
    QFETCH(const QString, device);
    QFETCH(const QString, precision);
    QFETCH(const int, channelsLast);
    QFETCH(const QByteArray, tf32);
    QFETCH(const bool, areLast);
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.json");
    QCOMPARE(cli({"export", "sample", "sequential", "--format", "json", "-o", file}).status, 0);
    QJsonObject schedule = QJsonDocument::fromJson(contentOf(file)).object();
    schedule["device"] = device;
    schedule["precision"] = precision;
    QJsonObject layouts;
    for (int i = 0; channelsLast > 0 && i < schedule["stages"].toArray().size(); ++i)
        layouts[schedule["stages"][i]["groups"][0][0].toString()] = i < channelsLast ? "NHWC" : "NCHW";
    if (!layouts.isEmpty())
        schedule["layouts"] = layouts;
    write(file, QJsonDocument(schedule).toJson());
    const Answer answer = cli({"export", "sample", file, "--format", "pytorch", "-o", folder.filePath("net")});
    QVERIFY2(answer.status == 0, answer.err);
    const QByteArray module = contentOf(folder.filePath("net/sample.py"));
    QVERIFY2(module.contains("\nTF32 = " + tf32 + "  #"), module.mid(module.indexOf("\nTF32"), 60));
    QCOMPARE(module.contains("\nCHANNELS_LAST = True"), areLast);
    QCOMPARE(module.contains("\nCHANNELS_LAST = False"), !areLast);
    QCOMPARE(contentOf(folder.filePath("net/README.md")).contains("channels last in memory"), areLast);
    QCOMPARE(answer.err.contains("the module has NHWC for all images"), channelsLast > 0 && areLast);
    QCOMPARE(answer.err.contains("are left out"), channelsLast > 0 && !areLast);
}

void TestExportPytorch::export_again_givesTheSameBytes()
{
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    const auto exported = [&](const char *schedule) {
        return cli({"export", "sample", schedule, "--format", "pytorch", "-o", net}).status;
    };
    QCOMPARE(exported("greedy"), 0);
    const QByteArray manifest = contentOf(net + "/MANIFEST.sha256");
    QVERIFY(manifest.contains("  weights.npy\n") && manifest.contains("  sample.py\n"));
    QCOMPARE(exported("greedy"), 0);
    QCOMPARE(contentOf(net + "/MANIFEST.sha256"), manifest);
    write(net + "/sample.py", "edited");
    QCOMPARE(exported("sequential"), 3);
    QCOMPARE(contentOf(net + "/sample.py"), QByteArray("edited"));
}

void TestExportPytorch::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status) {
        QTest::newRow(name) << arguments << says << status;
    };
    const QString data = sourcePath("tests/data/onnx/");
    row("an operator without code", {data + "unknown_operator.onnx", "greedy", "-o", "net"}, "operator ", 3);
    row("a model in training", {data + "training_dropout.onnx", "greedy", "-o", "net"}, "in training mode", 3);
    addFolderRefusals("pytorch");
    row("a target", {"sample", "greedy", "--target", "cuda", "-o", "net"},
        "--target: the format pytorch has no target. Leave --target out", 2);
}

void TestExportPytorch::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "squeezenet", "greedy", "-o", folder.filePath("other.json")}).status, 0);
    const Answer answer = cli(QStringList{"export", "--format", "pytorch"} + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{"other.json"});
}

// A file size limit simulates a full disk.
void TestExportPytorch::export_fullDisk_leavesNoFolder()
{
    const QTemporaryDir folder;
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start("/bin/sh",
                  {"-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" export sample greedy --format pytorch -o net",
                   programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished());
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 3 && err.contains("net/weights.npy: the file cannot be written: File too large"),
             err);
    QVERIFY(QDir(folder.path()).isEmpty());
}

STAGECRAFT_SUITE(TestExportPytorch)

} // namespace tst_export_pytorch
#include "tst_export_pytorch.moc"
