// run: what it refuses, and what it leaves behind when it does.

#include "device/npy.h"
#include "support/cli_process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

// The sample network at one batch size reads this.
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

// A limit on the size of files stands for the full disk.
void TestCliRun::run_fullDisk_leavesNoFile()
{
    const QTemporaryDir folder;
    writeInput(folder.filePath("one.npy"), 1);
    write(folder.filePath("y.npy"), "what was there");
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start("/bin/sh", {"-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" run sample -i one.npy -o y.npy",
                              STAGECRAFT_BIN_DIR "/stagecraft-cli"});
    QVERIFY(process.waitForFinished());
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 3 && err.contains("y.npy: the file cannot be written: File too large. Check"), err);
    QCOMPARE(QFileInfo(folder.filePath("y.npy")).size(), qint64(14));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
