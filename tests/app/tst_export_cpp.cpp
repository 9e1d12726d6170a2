// export --format cpp: the project builds without us, computes what `run` computes, and appears as a whole or not at
// all.

#include "support/cli_process.h"
#include "support/exported_project.h"
#include "support/folder_refusals.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_cpp {

namespace {

QStringList everythingIn(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
}

// Braces around one list would copy it with some compilers.
QJsonArray listOf(const QJsonArray &one)
{
    QJsonArray list;
    list.append(one);
    return list;
}

// A graph in IOS JSON whose operators have these names: two convolutions of the input, joined.
QByteArray graphOf(const QString &input, const QString &left, const QString &right, const QString &join)
{
    const auto conv = [&](const QString &name, int kernel) {
        return QJsonObject{{"type", "conv"},
                           {"name", name},
                           {"hint_name", name},
                           {"inputs", listOf(listOf(QJsonArray{input, 0, 4}))},
                           {"output_shape", QJsonArray{8, 6, 6}},
                           {"out_channels", 8},
                           {"kernel", QJsonArray{kernel, kernel}},
                           {"stride", QJsonArray{1, 1}},
                           {"padding", QJsonArray{kernel / 2, kernel / 2}},
                           {"groups", 1},
                           {"act", "relu"}};
    };
    const QJsonObject enter{
        {"type", "placeholder"}, {"name", input}, {"hint_name", input}, {"output_shape", QJsonArray{4, 6, 6}}};
    const QJsonObject exit{{"type", "identity"},
                           {"name", join},
                           {"hint_name", join},
                           {"inputs", QJsonArray{listOf(QJsonArray{left, 0, 8}), listOf(QJsonArray{right, 0, 8})}},
                           {"output_shape", QJsonArray{16, 6, 6}}};
    const QJsonObject block{{"enter_name", input},
                            {"enter_node", enter},
                            {"exit_name", join},
                            {"exit_node", exit},
                            {"inner_nodes", QJsonArray{conv(left, 1), conv(right, 3)}}};
    return QJsonDocument(QJsonObject{{"name", "net"}, {"input", enter}, {"blocks", QJsonArray{block}}}).toJson();
}

} // namespace

class TestExportCpp : public QObject {
    Q_OBJECT

private slots:
    void export_squeezenet_buildsAndComputesWhatRunComputes();
    void export_modelOfOthers_computesWhatRunAndOnnxruntimeCompute();
    void export_streamsOfHostileNames_stayHarmless();
    void export_cuda_compilesAndLinks();
    void export_again_givesTheSameBytesAndReplacesThem();
    void export_refused_writesNothing_data();
    void export_refused_writesNothing();
    void export_fullDisk_leavesNoFolder();
};

void TestExportCpp::export_squeezenet_buildsAndComputesWhatRunComputes()
{
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    QVERIFY(cli({"optimize", "squeezenet", "-d", "sim:v100", "-o", at("best.json")}).status == 0);
    const Answer answer = cli({"export", "squeezenet", at("best.json"), "--format", "cpp", "-o", at("net"), "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(answer.json()["files"].toInt() > 50 && answer.json()["bytes"].toInt() > 4'000'000);
    QCOMPARE(start("sha256sum", {"--quiet", "--check", at("net/MANIFEST.sha256")}).status, 1); // of this folder only
    const Finished built =
        build(sourcePath("tests/app/exported_consumer"), at("build"), {"-DEXPORTED=" + at("net"), "-DNAME=squeezenet"});
    QVERIFY2(built.status == 0, built.text);
    QVERIFY2(!built.text.contains("warning:"), built.text);

    QVERIFY(writeNpy(at("x.npy").toStdString(), image({{1, 3, 224, 224}})));
    QVERIFY(writeNpy(at("thin.npy").toStdString(), image({{1, 3, 224, 223}})));
    const QString program = at("build/exported/squeezenet-run");
    const Finished ran = start(program, {"--input", "input=" + at("x.npy"), "--output", at("y.npy")});
    QVERIFY2(ran.status == 0, ran.text);
    const Answer own =
        cli({"run", "squeezenet", "--schedule", at("best.json"), "-i", at("x.npy"), "-o", at("own.npy")});
    QVERIFY2(own.status == 0, own.err);
    QVERIFY2(difference(at("y.npy"), at("own.npy")) <= 1e-6, "not what `run` computes");

    // A pixel that is no number: convolutions with their activations, pools, joins and the softmax pass it on.
    HostTensor noNumber = image({{1, 3, 224, 224}});
    noNumber.values[224 * 100 + 100] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(writeNpy(at("nan.npy").toStdString(), noNumber));
    QCOMPARE(start(program, {"--input", at("nan.npy"), "--output", at("nan-y.npy")}).status, 0);
    QCOMPARE(cli({"run", "squeezenet", "-i", at("nan.npy"), "-o", at("nan-own.npy")}).status, 0);
    for (const char *file : {"nan-y.npy", "nan-own.npy"}) {
        const auto made = readNpy(at(file).toStdString());
        QVERIFY(made);
        QVERIFY2(std::ranges::all_of(made->values, [](float value) { return std::isnan(value); }), file);
    }

    const Finished consumed = start(at("build/consumer"), {at("net/weights.bin")});
    QCOMPARE(consumed.text, QByteArray("1 input input, 1 output avgpool10, nothing behind: 1\n"));
    const Finished measured = start(program, {"--benchmark", "--runs", "3", "--threads", "1", "--no-pin"});
    QVERIFY2(measured.status == 0 && measured.text.startsWith("latency of 3 runs, measured on this machine: median "),
             measured.text);

    struct Refusal {
        QStringList arguments;
        int status;
        QByteArray says;
    };
    write(at("short.bin"), "network weights");
    QFile weights(at("net/weights.bin"));
    QVERIFY(weights.open(QIODevice::ReadOnly));
    QByteArray others = weights.readAll();
    others[30] = others[30] == 'a' ? 'b' : 'a'; // in the hash
    write(at("others.bin"), others);
    const QStringList out{"--output", at("z.npy")};
    for (const Refusal &refusal : {
             Refusal{{}, 2, "nothing to do: say --output FILE"},
             Refusal{{"--frob"}, 2, "--frob is not known"},
             Refusal{{"--input"}, 2, "--input needs a value"},
             Refusal{{"--benchmark", "--runs", "many"}, 2, "many is not a count"},
             Refusal{out, 3, "input input is missing"},
             Refusal{QStringList{"--input", at("thin.npy")} + out, 3,
                     "thin.npy: the array is 1x3x224x223, input input is 1x3x224x224"},
             Refusal{QStringList{"--input", "other=x.npy"} + out, 3, "the network has no tensor of this name"},
             Refusal{QStringList{"--input", at("none.npy")} + out, 3, "none.npy: "},
             Refusal{QStringList{"--weights", at("short.bin")} + out, 3, "short.bin: it has 15 bytes"},
             Refusal{QStringList{"--weights", at("others.bin")} + out, 3,
                     "others.bin: these are not the weights of this network"},
             Refusal{QStringList{"--weights", at("none.bin")} + out, 3, "none.bin: No such file"},
         }) {
        const Finished refused = start(program, refusal.arguments);
        QVERIFY2(refused.status == refusal.status && refused.text.contains(refusal.says), refused.text);
    }
    QVERIFY(!QFile::exists(at("z.npy")));

    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("without ONNX Runtime outputs are compared with `run` alone");
    QCOMPARE(cli({"convert", "squeezenet", "-o", at("net.onnx")}).status, 0);
    const Finished judged = judge(python, at("net.onnx"), {at("x.npy")}, at("judge.npy"));
    QVERIFY2(judged.status == 0, judged.text);
    QVERIFY2(difference(at("y.npy"), at("judge.npy")) <= 1e-4, "not what ONNX Runtime computes");
}

// A network of others, trained and exported by PaddlePaddle: the text direction classifier of PyPI's
// rapidocr-onnxruntime.
void TestExportCpp::export_modelOfOthers_computesWhatRunAndOnnxruntimeCompute()
{
    const QString python = pythonWith("onnxruntime, numpy");
    const QStringList found =
        python.isEmpty() ? QStringList()
                         : QDir(QFileInfo(python).dir().filePath("../lib"))
                               .entryList({"python3*"}, QDir::Dirs); // the package is not imported: it needs others
    const QString model = found.isEmpty()
                              ? QString()
                              : QFileInfo(python).dir().filePath("../lib/" + found.first() +
                                                                 "/site-packages/rapidocr_onnxruntime/models/"
                                                                 "ch_ppocr_mobile_v2.0_cls_infer.onnx");
    if (!QFile::exists(model))
        QSKIP("rapidocr-onnxruntime of PyPI is not installed (packaging/test.sh does)");
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    const Answer answer = cli({"export", model, "greedy", "--format", "cpp", "-o", at("net")});
    QVERIFY2(answer.status == 0, answer.err);
    const Finished built = build(at("net"), at("build"), {});
    QVERIFY2(built.status == 0, built.text);
    QVERIFY(writeNpy(at("x.npy").toStdString(), image({{1, 3, 224, 224}})));
    const Finished ran =
        start(at("build/ch_ppocr_mobile_v2_0_cls_infer-run"), {"--input", at("x.npy"), "--output", at("y.npy")});
    QVERIFY2(ran.status == 0, ran.text);
    QCOMPARE(cli({"run", model, "--schedule", "greedy", "-i", at("x.npy"), "-o", at("own.npy")}).status, 0);
    QVERIFY2(difference(at("y.npy"), at("own.npy")) <= 1e-6, "not what `run` computes");
    const Finished judged = judge(python, model, {at("x.npy")}, at("judge.npy"));
    QVERIFY2(judged.status == 0, judged.text);
    QVERIFY2(difference(at("y.npy"), at("judge.npy")) <= 1e-4, "not what ONNX Runtime computes");
}

void TestExportCpp::export_streamsOfHostileNames_stayHarmless()
{
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    const QString trigraph = QString(2, '?') + "/\n";
    const QString input = "in\"); #error \\u0022 " + trigraph + "*/ \\";
    const QString model = at("2 class \"x\" @NAME@ $(touch owned) ;.json");
    write(model, graphOf(input, "delete", QString(4000, QChar('/')) + "\n#error \u202e\u65e5\u672c ",
                         "a b*/ %s%n" + trigraph));
    // Of streams: one for each convolution, and the join waits.
    const Answer found = cli({"optimize", model, "-d", "sim:v100", "--strategy", "nimble", "-o", at("streams.json")});
    QVERIFY2(found.status == 0, found.err);
    const Answer answer = cli({"export", model, at("streams.json"), "--format", "cpp", "-o", at("net")});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(contentOf(at("net/src/stages/launches_001.cpp")).contains("builder.launch(1, {"));
    QDirIterator files(at("net/src"), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QByteArray text = contentOf(files.next());
        QVERIFY2(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }),
                 qPrintable(files.filePath()));
    }
    const Finished built = build(at("net"), at("build"));
    QVERIFY2(built.status == 0 && !built.text.contains("warning:"), built.text);
    const QStringList programs = QDir(at("build")).entryList({"*-run"}, QDir::Files);
    QCOMPARE(programs, QStringList{"network_2_class_x_name_touch_owned-run"});
    QVERIFY(writeNpy(at("x.npy").toStdString(), image({{1, 4, 6, 6}})));
    const Finished ran =
        start(at("build/") + programs.front(), {"--input", input + '=' + at("x.npy"), "--output", at("y.npy")});
    QVERIFY2(ran.status == 0, ran.text);
    const Answer own = cli({"run", model, "--schedule", at("streams.json"), "-i", at("x.npy"), "-o", at("own.npy")});
    QVERIFY2(own.status == 0, own.err);
    QVERIFY(difference(at("y.npy"), at("own.npy")) <= 1e-6);
    // Then stages with a launch order.
    QCOMPARE(cli({"export", model, "greedy", "--format", "json", "-o", at("ordered.json")}).status, 0);
    QJsonObject schedule = QJsonDocument::fromJson(contentOf(at("ordered.json"))).object();
    QJsonArray stages = schedule["stages"].toArray();
    QJsonObject first = stages[0].toObject();
    QJsonArray order;
    for (const QJsonValue &group : first["groups"].toArray())
        order.prepend(group.toArray()[0]);
    QVERIFY(order.size() > 1);
    first["launch_order"] = order;
    stages[0] = first;
    schedule["stages"] = stages;
    write(at("ordered.json"), QJsonDocument(schedule).toJson());
    const Answer ordered = cli({"export", model, at("ordered.json"), "--format", "cpp", "-o", at("net"), "--force"});
    QVERIFY2(ordered.status == 0, ordered.err);
    QVERIFY(contentOf(at("net/src/stages/block_001.cpp")).contains("builder.stage(Strategy::Concurrent, {"));
    const Finished again = build(at("net"), at("build"));
    QVERIFY2(again.status == 0 && !again.text.contains("warning:"), again.text);
    const Finished then =
        start(at("build/") + programs.front(), {"--input", input + '=' + at("x.npy"), "--output", at("z.npy")});
    QVERIFY2(then.status == 0, then.text);
    QVERIFY(difference(at("z.npy"), at("own.npy")) <= 1e-6);
}

// Where there is no GPU, the program says so; where there is one, it computes what the CPU computes.
void TestExportCpp::export_cuda_compilesAndLinks()
{
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    QVERIFY(cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "opara", "-o", at("best.json")}).status ==
            0);
    const Answer answer =
        cli({"export", "squeezenet", at("best.json"), "--format", "cpp", "--target", "cuda", "-o", at("net")});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(contentOf(at("net/README.md")).contains("exported without having been run"));
    QVERIFY(contentOf(at("net/README.md")).contains("one CUDA graph: streams are branches, which meet at events"));
    QVERIFY(!QFile::exists(at("net/src/engine/device/cpu")));
    const QString nvcc = qEnvironmentVariable("STAGECRAFT_NVCC");
    if (nvcc.isEmpty())
        QSKIP("without the CUDA toolkit and cuDNN the project is not compiled");
    const Finished built =
        build(at("net"), at("build"), {"-DCMAKE_CUDA_COMPILER=" + nvcc, "-DCMAKE_CUDA_ARCHITECTURES=90"});
    QVERIFY2(built.status == 0 && !built.text.contains("warning:"), built.text);
    QVERIFY(writeNpy(at("x.npy").toStdString(), image({{1, 3, 224, 224}})));
    const Finished ran =
        start(at("build/squeezenet-run"), {"--quick", "--input", at("x.npy"), "--output", at("y.npy")});
    if (ran.text.contains("choosing the GPU failed: ")) {
        QCOMPARE(ran.status, 3);
        QVERIFY(!QFile::exists(at("y.npy")));
        return;
    }
    QVERIFY2(ran.status == 0, ran.text);
    QCOMPARE(cli({"run", "squeezenet", "-i", at("x.npy"), "-o", at("own.npy")}).status, 0);
    QVERIFY(difference(at("y.npy"), at("own.npy")) <= 1e-4);
}

void TestExportCpp::export_again_givesTheSameBytesAndReplacesThem()
{
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    const auto exported = [&](const char *schedule) {
        return cli({"export", "sample", schedule, "--format", "cpp", "--target", "cpu", "-o", net});
    };
    QCOMPARE(exported("greedy").status, 0);
    const QByteArray manifest = contentOf(net + "/MANIFEST.sha256");
    QVERIFY(manifest.contains("  weights.bin\n") && manifest.contains("  src/stages/block_001.cpp\n"));
    QCOMPARE(exported("greedy").status, 0);
    QCOMPARE(contentOf(net + "/MANIFEST.sha256"), manifest);
    QCOMPARE(exported("sequential").status, 0);
    QVERIFY(contentOf(net + "/MANIFEST.sha256") != manifest);
    QCOMPARE(everythingIn(folder.path()), QStringList{"net"});

    const auto isKept = [&](const QByteArray &reason) {
        const Answer refused = exported("greedy");
        QVERIFY2(refused.status == 3 && refused.err.contains(reason), refused.err);
        QCOMPARE(everythingIn(folder.path()), QStringList{"net"});
    };
    write(net + "/mine.txt", "mine");
    isKept("net: the folder is not replaced: mine.txt is in it, which no export wrote. Choose another name");
    QVERIFY(QFile::remove(net + "/mine.txt"));
    write(net + "/README.md", "edited");
    isKept("net: the folder is not replaced: README.md is changed since it was exported");
    QCOMPARE(contentOf(net + "/README.md"), QByteArray("edited"));
}

void TestExportCpp::export_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status) {
        QTest::newRow(name) << arguments << says << status;
    };
    const QString data = sourcePath("tests/data/onnx/");
    row("an operator without a kernel", {data + "unknown_operator.onnx", "greedy", "-o", "net"}, "operator ", 3);
    row("a model in training", {data + "training_dropout.onnx", "greedy", "-o", "net"}, "operator ", 3);
    addFolderRefusals("cpp");
    row("a file is there", {"sample", "greedy", "-o", "file"},
        "file: the folder cannot be written: a file or link of this name is there. Choose another name", 3);
    row("a link is there", {"sample", "greedy", "-o", "link"}, "link: the folder cannot be written: a file or link", 3);
    row("a full folder", {"sample", "greedy", "-o", "full"}, "full: the folder cannot be written: it is not empty", 3);
    row("an operator without a kernel, cuda",
        {data + "unknown_operator.onnx", "greedy", "--target", "cuda", "-o", "net"}, "operator ", 3);
    row("a target without a project", {"sample", "greedy", "--format", "csv", "--target", "cpu", "-o", "a.csv"},
        "--target: the format csv has no target. Leave --target out", 2);
    row("an unknown target", {"sample", "greedy", "--target", "tpu", "-o", "net"}, "--target: tpu is not known", 2);
}

void TestExportCpp::export_refused_writesNothing()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    const QTemporaryDir folder;
    QCOMPARE(cli({"export", "squeezenet", "greedy", "-o", folder.filePath("other.json")}).status, 0);
    write(folder.filePath("file"), "a file");
    QVERIFY(QDir(folder.path()).mkpath("full/folder"));
    QVERIFY(QFile::link("full", folder.filePath("link")));
    const QStringList before = everythingIn(folder.path());
    const QStringList format = arguments.contains("--format") ? QStringList() : QStringList{"--format", "cpp"};
    const Answer answer = cli(QStringList{"export"} + format + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(everythingIn(folder.path()), before);
}

// A file size limit simulates a full disk.
void TestExportCpp::export_fullDisk_leavesNoFolder()
{
    const QTemporaryDir folder;
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start("/bin/sh", {"-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" export sample greedy --format cpp -o net",
                              programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished());
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 3 && err.contains("net/weights.bin: the file cannot be written: File too large"),
             err);
    QCOMPARE(everythingIn(folder.path()), QStringList());
}

STAGECRAFT_SUITE(TestExportCpp)

} // namespace tst_export_cpp
#include "tst_export_cpp.moc"
