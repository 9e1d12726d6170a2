// run: its refusals, and that they leave no files.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <sys/stat.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli_run {

namespace {

// An input of the sample network at one batch size.
void writeInput(const QString &path, std::int64_t batch, std::int64_t channels = 375)
{
    const Shape shape{{batch, channels, 15, 15}};
    const HostTensor tensor{"input", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
    QVERIFY(writeNpy(path.toStdString(), tensor));
}

} // namespace

class TestCliRun : public QObject {
    Q_OBJECT

private slots:
    void run_pathWithEqualsSign_isAPath();
    void run_refused_namesTheFileAndWhatToDo_data();
    void run_refused_namesTheFileAndWhatToDo();
    void run_fullDisk_leavesNoFile();
    void run_constantsOnly_needNoInput();
    void run_constantOutput_checksItsInputs_data();
    void run_constantOutput_checksItsInputs();
    void run_otherTypesAndConstants_areWrittenAsTheyAre_data();
    void run_otherTypesAndConstants_areWrittenAsTheyAre();
    void run_whatCpuDoesNotExecute_isRefusedByName_data();
    void run_whatCpuDoesNotExecute_isRefusedByName();
};

void TestCliRun::run_pathWithEqualsSign_isAPath()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("a=b"));
    writeInput(folder.filePath("a=b/x.npy"), 1);
    const Answer answer = cli({"run", "sample", "-i", "./a=b/x.npy", "-o", "y.npy"}, folder.path());
    QVERIFY2(answer.status == 0 && answer.out.startsWith("y.npy: "), answer.err);
    QVERIFY(readNpy(folder.filePath("y.npy").toStdString()));
    QCOMPARE(QDir(folder.path()).entryList({"*.part*"}).size(), 0);
}

void TestCliRun::run_refused_namesTheFileAndWhatToDo_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    const auto input = [](const char *file) { return QStringList{"-i", file, "-o", "y.npy"}; };
    QTest::newRow("another batch") << input("two.npy") << 3
                                   << QByteArray(
                                          "two.npy: the array is 2x375x15x15, input input of the model is "
                                          "1x375x15x15. Give an array of that batch size, or the model --batch 2.");
    QTest::newRow("another shape")
        << input("thin.npy") << 3
        << QByteArray(
               "thin.npy: the array is 1x3x15x15, input input of the model is 1x375x15x15. Give an array of the shape");
    QTest::newRow("folder") << input("folder.npy") << 3 << QByteArray("folder.npy: this is a folder, not a file. Name");
    QTest::newRow("pipe") << input("pipe.npy") << 3 << QByteArray("pipe.npy: this is not a regular file. Name");
    QTest::newRow("missing") << input("none.npy") << 3 << QByteArray("none.npy: there is no such file. Check");
    QTest::newRow("text") << input("text.npy") << 3 << QByteArray("text.npy: this is not a .npy file. Write it");
    QTest::newRow("simulated device") << input("one.npy") + QStringList{"-d", "sim:v100"} << 2
                                      << QByteArray("sim:v100: this device does not compute outputs. Use a device");
    QTest::newRow("unknown output, before it runs")
        << input("none.npy") + QStringList{"--tensor", "z"} << 2 << QByteArray("the model has no output z. Outputs: ");
    QTest::newRow("misspelt input") << input("inptu=one.npy") << 2
                                    << QByteArray("the model has no input inptu. Did you mean input? Inputs: ");
    QTest::newRow("unknown input") << input("x=one.npy") << 2 << QByteArray("the model has no input x. Inputs: ");
}

void TestCliRun::run_refused_namesTheFileAndWhatToDo()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    writeInput(folder.filePath("one.npy"), 1);
    writeInput(folder.filePath("two.npy"), 2);
    writeInput(folder.filePath("thin.npy"), 1, 3);
    write(folder.filePath("text.npy"), "hello, this is text");
    QVERIFY(QDir(folder.path()).mkdir("folder.npy"));
    QCOMPARE(::mkfifo(folder.filePath("pipe.npy").toUtf8().constData(), 0600), 0);
    const Answer answer = cli(QStringList{"run", "sample"} + arguments, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QVERIFY(!QFile::exists(folder.filePath("y.npy")));
}

// A file size limit simulates a full disk.
void TestCliRun::run_fullDisk_leavesNoFile()
{
    const QTemporaryDir folder;
    writeInput(folder.filePath("one.npy"), 1);
    write(folder.filePath("y.npy"), "what was there");
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start("/bin/sh", {"-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" run sample -i one.npy -o y.npy --force",
                              programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished());
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 3 && err.contains("y.npy: the file cannot be written: File too large. Check"), err);
    QCOMPARE(QFileInfo(folder.filePath("y.npy")).size(), qint64(14));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
}

void TestCliRun::run_constantsOnly_needNoInput()
{
    const QTemporaryDir folder;
    const Answer answer = cli({"run", sourcePath("tests/data/onnx/no_inputs.onnx"), "-o", "y.npy"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const auto output = readNpy(folder.filePath("y.npy").toStdString());
    QVERIFY(output && output->values.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        QVERIFY(std::abs(output->values[i] - std::sin(static_cast<float>(i + 1))) < 1e-6F);
}

void TestCliRun::run_constantOutput_checksItsInputs_data()
{
    QTest::addColumn<QStringList>("inputs");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("none") << QStringList{} << 0 << QByteArray("y.npy: ");
    QTest::newRow("its input") << QStringList{"-i", "x.npy"} << 0 << QByteArray("y.npy: ");
    QTest::newRow("another shape") << QStringList{"-i", "wide.npy"} << 3 << QByteArray("the array is 1x3x8x9, input");
    QTest::newRow("another name") << QStringList{"-i", "z=x.npy"} << 2 << QByteArray("the model has no input z");
    QTest::newRow("no file") << QStringList{"-i", "x=none.npy"} << 3 << QByteArray("none.npy: ");
}

void TestCliRun::run_constantOutput_checksItsInputs()
{
    QFETCH(const QStringList, inputs);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    for (const auto &[file, width] : {std::pair("x.npy", 8), {"wide.npy", 9}}) {
        const Shape shape{{1, 3, 8, width}};
        const HostTensor tensor{"x", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
        QVERIFY(writeNpy(folder.filePath(file).toStdString(), tensor));
    }
    const Answer answer = cli(
        QStringList{"run", sourcePath("tests/data/onnx/constant_output.onnx"), "-o", "y.npy"} + inputs, folder.path());
    QVERIFY2((answer.out + answer.err).contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QCOMPARE(QFile::exists(folder.filePath("y.npy")), status == 0);
}

void TestCliRun::run_otherTypesAndConstants_areWrittenAsTheyAre_data()
{
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("type");
    QTest::newRow("doubles") << "vector.npy"
                             << "float64";
    QTest::newRow("cast_to_double") << "vector.npy"
                                    << "float64";
    QTest::newRow("cast_to_half") << "vector.npy"
                                  << "float16";
    QTest::newRow("constant_output") << "image.npy"
                                     << "float32";
}

void TestCliRun::run_otherTypesAndConstants_areWrittenAsTheyAre()
{
    QFETCH(const QString, input);
    QFETCH(const QString, type);
    const QTemporaryDir folder;
    const Shape shape = input == "vector.npy" ? Shape{{3}} : Shape{{1, 3, 8, 8}};
    const HostTensor tensor{"x", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
    QVERIFY(writeNpy(folder.filePath(input).toStdString(), tensor));
    const QString model = sourcePath("tests/data/onnx/") + QTest::currentDataTag() + ".onnx";
    const Answer answer = cli({"run", model, "-i", input, "-o", "y.npy"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const auto output = readTypedNpy(folder.filePath("y.npy").toStdString());
    QVERIFY(output);
    QCOMPARE(std::string(toString(output->type)), type.toStdString());
}

void TestCliRun::run_whatCpuDoesNotExecute_isRefusedByName_data()
{
    QTest::addColumn<QStringList>("inputs");
    QTest::addColumn<QByteArray>("says");
    const QStringList vector{"-i", "vector.npy"};
    const QStringList image{"-i", "image.npy"};
    QTest::newRow("training_dropout") << image
                                      << QByteArray(
                                             "operator y is in training mode, which is scheduled but not executed");
    QTest::newRow("old_broadcast_of_tensors") << QStringList{"-i", "x=square.npy", "-i", "s=vector.npy"}
                                              << QByteArray("operator y: cpu does not know the attribute axis of Add");
}

void TestCliRun::run_whatCpuDoesNotExecute_isRefusedByName()
{
    QFETCH(const QStringList, inputs);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    const auto input = [&](const char *file, const Shape &shape) {
        const HostTensor tensor{"x", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
        QVERIFY(writeNpy(folder.filePath(file).toStdString(), tensor));
    };
    input("vector.npy", Shape{{3}});
    input("image.npy", Shape{{1, 3, 8, 8}});
    input("square.npy", Shape{{1, 3, 3, 3}});
    const QString model = sourcePath("tests/data/onnx/") + QTest::currentDataTag() + ".onnx";
    const Answer answer = cli(QStringList{"run", model, "-o", "y.npy"} + inputs, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, 3);
    QVERIFY(!QFile::exists(folder.filePath("y.npy")));
}

STAGECRAFT_SUITE(TestCliRun)

} // namespace tst_cli_run
#include "tst_cli_run.moc"
