// The output of the command line: -o next to its input, standard output, full disks, names with terminal commands,
// endless files.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft::test;

namespace tst_cli_output {

namespace {

const QString kNames = sourcePath("tests/data/onnx/names_with_controls.onnx");

Answer shell(const QString &script, const QString &folder = {})
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start("/bin/sh", {"-c", script, programPath("stagecraft-cli")});
    if (!process.waitForFinished(120'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestCliOutput : public QObject {
    Q_OBJECT

private slots:
    void output_isAFileThatIsRead_isRefused_data();
    void output_isAFileThatIsRead_isRefused();
    void output_ofAnotherKind_isRefusedUnlessForced_data();
    void output_ofAnotherKind_isRefusedUnlessForced();
    void output_handWritten_isRefused_data();
    void output_handWritten_isRefused();
    void output_inPlaceOfForeignWeights_isRefused();
    void force_everyCommandThatWritesAFile_hasIt();
    void output_device_staysADevice();
    void output_secretFile_staysSecret();
    void output_standardOutput_getsTheFileAlone_data();
    void output_standardOutput_getsTheFileAlone();
    void convert_muchWeight_saysWhichFileItTakesBeforeIt();
    void output_standardOutputTwice_isRefused();
    void reproduce_folderOfOthers_isRefused();
    void answer_thatCannotBeWritten_isAFailure_data();
    void answer_thatCannotBeWritten_isAFailure();
    void names_withControls_doNotReachTheTerminal_data();
    void names_withControls_doNotReachTheTerminal();
    void names_thatAreNoUtf8_areReplacedInJson();
    void names_thatAreNoUtf8_reachTheWorker();
    void input_thatNeverEnds_isRefused_data();
    void input_thatNeverEnds_isRefused();
};

void TestCliOutput::output_isAFileThatIsRead_isRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("file");
    QTest::newRow("model") << QStringList{"convert", "m.onnx", "-o", "m.onnx"} << "m.onnx";
    QTest::newRow("model by another path") << QStringList{"convert", "m.onnx", "-o", "./m.onnx"} << "m.onnx";
    QTest::newRow("model by a link") << QStringList{"optimize", "m.onnx", "-o", "soft.onnx"} << "m.onnx";
    QTest::newRow("model by a hard link") << QStringList{"optimize", "m.onnx", "-o", "hard.onnx"} << "m.onnx";
    QTest::newRow("input") << QStringList{"run", "m.onnx", "--input", "x=x.npy", "-o", "x.npy"} << "x.npy";
    QTest::newRow("weights of the model")
        << QStringList{"optimize", "external.onnx", "-o", "external.bin", "--force"} << "external.bin";
    QTest::newRow("weights, by convert") << QStringList{"convert", "external.onnx", "-o", "external.bin", "--force"}
                                         << "external.bin";
    QTest::newRow("device") << QStringList{"optimize", "m.onnx", "-d", "rec:r.jsonl", "-o", "r.jsonl"} << "r.jsonl";
}

void TestCliOutput::output_isAFileThatIsRead_isRefused()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, file);
    const QTemporaryDir folder;
    QVERIFY(QFile::copy(sourcePath("tests/data/onnx/residual.onnx"), folder.filePath("m.onnx")));
    for (const char *name : {"external.onnx", "external.bin"})
        QVERIFY(QFile::copy(sourcePath("tests/data/onnx/") + name, folder.filePath(name)));
    QCOMPARE(symlink("m.onnx", qPrintable(folder.filePath("soft.onnx"))), 0);
    QCOMPARE(link(qPrintable(folder.filePath("m.onnx")), qPrintable(folder.filePath("hard.onnx"))), 0);
    write(folder.filePath("x.npy"), "numbers");
    write(folder.filePath("r.jsonl"), "latencies");
    const QByteArray before = contentOf(folder.filePath(file));
    const Answer answer = cli(arguments, folder.path());
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("this is the input file " + file.toUtf8()), answer.err);
    QCOMPARE(contentOf(folder.filePath(file)), before);
}

void TestCliOutput::output_ofAnotherKind_isRefusedUnlessForced_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("kind");
    const auto row = [](const char *name, const QStringList &arguments, const char *file, const QByteArray &kind) {
        QTest::newRow(name) << arguments << QString(file) << kind;
    };
    row("optimize", {"optimize", "sample", "-d", "sim:v100"}, "x.schedule.json", "a schedule file");
    row("edit", {"edit", "sample", "--join", "1,2"}, "x.schedule.json", "a schedule file");
    row("export", {"export", "sample", "greedy"}, "x.dot", "a graph of this program (DOT)");
    row("export, a model", {"export", "sample", "greedy"}, "x.onnx", "an ONNX model");
    row("convert", {"convert", "sample"}, "x.onnx", "an ONNX model");
    row("run", {"run", sourcePath("tests/data/onnx/no_inputs.onnx")}, "y.npy", "an array (.npy)");
    row("layout", {"layout", "sample", "-d", "sim:v100"}, "x.json", "costs of layouts");
    row("layout, a schedule", {"layout", "sample", "-d", "sim:v100"}, "x.schedule.json", "a schedule file");
    row("devices", {"devices", "sim:v100"}, "x.json", "a description of a device");
}

void TestCliOutput::output_ofAnotherKind_isRefusedUnlessForced()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, file);
    QFETCH(const QByteArray, kind);
    const QTemporaryDir folder;
    const auto run = [&](const QStringList &more) {
        return cli(arguments + QStringList{"-o", file} + more, folder.path());
    };
    // Of another kind that this program writes.
    const QByteArray before("{\"format\": \"stagecraft-session\", \"version\": 1}");
    write(folder.filePath(file), before);
    const Answer refused = run({});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains(file.toUtf8() + ": the file is not replaced: it is a session, not " + kind +
                                  ". Name another file, or replace this one with --force"),
             refused.err);
    QVERIFY(refused.out.isEmpty());
    QCOMPARE(contentOf(folder.filePath(file)), before);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{file});
    const Answer forced = run({"--force"});
    QVERIFY2(forced.status == 0, forced.err);
    QVERIFY(contentOf(folder.filePath(file)) != before);
    const Answer again = run({}); // in the place of its own file
    QVERIFY2(again.status == 0, again.err);
    write(folder.filePath(file), {}); // as mktemp makes it: nothing is lost
    QCOMPARE(run({}).status, 0);
    QVERIFY(!contentOf(folder.filePath(file)).isEmpty());
}

void TestCliOutput::output_handWritten_isRefused_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("notes") << "x.md" << QByteArray("# Notes\n\nBuy milk.\n");
    QTest::newRow("a page with a table") << "x.md"
                                         << QByteArray(
                                                "## Results\n\n| a | b |\n| :--- | ---: |\n| 1 | 2 |\n\nMore.\n");
    QTest::newRow("a table of others") << "x.csv" << QByteArray("name,age\r\nAda,36\r\n");
    QTest::newRow("a graph of others") << "x.dot" << QByteArray("digraph deps { a -> b }\n");
    QTest::newRow("a page") << "x.html" << QByteArray("<!DOCTYPE html>\n<html><body>Me</body></html>\n");
    QTest::newRow("a page with a picture") << "x.svg" << QByteArray("<html><svg></svg></html>\n");
    QTest::newRow("another JSON") << "x.json" << QByteArray("{\"name\": \"me\", \"blocks\": []}");
    QTest::newRow("JSON that says its format inside")
        << "x.json" << QByteArray("{\"a\": {\"format\": \"stagecraft-schedule\"}}");
    QTest::newRow("text") << "x.onnx" << QByteArray("\x08 is not all there is to an ONNX model\n");
    QTest::newRow("a model cut short") << "x.onnx" << QByteArray("\x08\x07\x3a\xff\x7f short", 11);
    QTest::newRow("a picture that is not one") << "x.png" << QByteArray("PNG");
}

void TestCliOutput::output_handWritten_isRefused()
{
    QFETCH(const QString, file);
    QFETCH(const QByteArray, content);
    const QTemporaryDir folder;
    write(folder.filePath(file), content);
    const Answer answer = cli({"export", "sample", "greedy", "-o", file}, folder.path());
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("the file is not replaced: it is something else, not "), answer.err);
    QCOMPARE(contentOf(folder.filePath(file)), content);
}

// Weights of more than 64 MiB go to a second file.
void TestCliOutput::output_inPlaceOfForeignWeights_isRefused()
{
    const QTemporaryDir folder;
    const QString weights = folder.filePath("net.onnx.data");
    const QByteArray before("my own numbers");
    for (const QStringList &command :
         {QStringList{"convert", "resnet50"}, QStringList{"export", "resnet50", "greedy", "--format", "onnx"}}) {
        write(weights, before);
        const Answer refused = cli(command + QStringList{"-o", "net.onnx"}, folder.path());
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("net.onnx.data: the file is not replaced: it does not have the weights"),
                 refused.err);
        QCOMPARE(contentOf(weights), before);
        QVERIFY(!QFile::exists(folder.filePath("net.onnx")));
        const Answer forced = cli(command + QStringList{"-o", "net.onnx", "--force"}, folder.path());
        QVERIFY2(forced.status == 0, forced.err);
        const Answer again = cli(command + QStringList{"-o", "net.onnx"}, folder.path()); // over its own weights
        QVERIFY2(again.status == 0, again.err);
        QVERIFY(QFile::remove(folder.filePath("net.onnx")));
    }
}

void TestCliOutput::force_everyCommandThatWritesAFile_hasIt()
{
    const QByteArray manual = cli({"man"}).out;
    const qsizetype begin = manual.indexOf(".SH COMMANDS");
    QByteArray commands = manual.mid(begin, manual.indexOf(".SH NOTES") - begin);
    commands.replace("\\-", "-").replace(".SS ", "\x01");
    int writing = 0;
    for (const QByteArray &section : commands.split('\x01')) {
        const bool writes = section.contains("\\fB-o\\fR") || section.contains("--output");
        const bool writesAFolder = section.startsWith("\"reproduce\"") || section.startsWith("\"kit\"");
        QVERIFY2(section.contains("--force") == (writes && !writesAFolder), section);
        writing += writes ? 1 : 0;
    }
    // optimize, edit, compare, co-run, reproduce, kit, export, convert, run, layout, latencies export, devices, devices
    // fit, profile
    QCOMPARE(writing, 14);
}

void TestCliOutput::output_device_staysADevice()
{
    const QTemporaryDir folder; // if the device were replaced, only this link would be lost
    const QString path = folder.filePath("nothing.json");
    QCOMPARE(symlink("/dev/null", qPrintable(path)), 0);
    QCOMPARE(cli({"optimize", "sample", "-o", path}).status, 0);
    QCOMPARE(QFile::symLinkTarget(path), QString("/dev/null"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot),
             QStringList{"nothing.json"});
}

void TestCliOutput::output_secretFile_staysSecret()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.onnx");
    write(path, "old");
    QCOMPARE(chmod(qPrintable(path), 0600), 0);
    QCOMPARE(cli({"convert", "sample", "--force", "-o", path}).status, 0);
    struct stat status {};
    QCOMPARE(stat(qPrintable(path), &status), 0);
    QCOMPARE(status.st_mode & 0777U, mode_t(0600));
    QVERIFY(contentOf(path).size() > 1000);
}

void TestCliOutput::convert_muchWeight_saysWhichFileItTakesBeforeIt()
{
    const QTemporaryDir folder;
    const Answer large = cli({"convert", "resnet50", "-o", "net.onnx"}, folder.path());
    QCOMPARE(large.status, 0);
    QVERIFY2(large.err.contains("MiB, go to net.onnx.data, which has to stay beside the model"), large.err);
    QVERIFY(QFile::exists(folder.filePath("net.onnx.data")));
    const Answer exported =
        cli({"export", "resnet50", "greedy", "--format", "onnx", "-o", "staged.onnx"}, folder.path());
    QCOMPARE(exported.status, 0);
    QVERIFY2(exported.err.contains("The weights are in staged.onnx.data"), exported.err);
    const Answer small = cli({"convert", "squeezenet", "-o", "small.onnx"}, folder.path());
    QCOMPARE(small.status, 0);
    QVERIFY(small.err.isEmpty());
}

void TestCliOutput::output_standardOutput_getsTheFileAlone_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("schedule") << QStringList{"optimize", "sample"};
    QTest::newRow("model") << QStringList{"convert", "sample"};
}

void TestCliOutput::output_standardOutput_getsTheFileAlone()
{
    QFETCH(const QStringList, arguments);
    const QTemporaryDir folder;
    const Answer toFile = cli(arguments + QStringList{"-o", "out"}, folder.path());
    const Answer toOutput = cli(arguments + QStringList{"-o", "-"}, folder.path());
    QCOMPARE(toFile.status, 0);
    QCOMPARE(toOutput.status, 0);
    const QRegularExpression seconds(R"("(search|measure)_seconds": [^,\n]*)");
    QCOMPARE(QString::fromLatin1(toOutput.out).remove(seconds),
             QString::fromLatin1(contentOf(folder.filePath("out"))).remove(seconds));
    QVERIFY2(!toOutput.err.isEmpty(), "the text for people went nowhere");
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"out"});
}

void TestCliOutput::output_standardOutputTwice_isRefused()
{
    const Answer answer = cli({"optimize", "sample", "--json", "-o", "-"});
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("both ask for standard output"), answer.err);
    QCOMPARE(cli({"reproduce", "-o", "-"}).status, 2);
}

// Before the work, which takes minutes.
void TestCliOutput::reproduce_folderOfOthers_isRefused()
{
    const QTemporaryDir folder;
    write(folder.filePath("reproduction.html"), "my own page");
    const Answer answer = cli({"reproduce", "-d", "sim:v100", "-o", folder.path()});
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.err.contains(folder.path().toUtf8() + ": the folder cannot be written: it is not empty"),
             answer.err);
    QCOMPARE(contentOf(folder.filePath("reproduction.html")), QByteArray("my own page"));
}

void TestCliOutput::answer_thatCannotBeWritten_isAFailure_data()
{
    QTest::addColumn<QString>("script");
    QTest::newRow("text") << "exec \"$0\" models > /dev/full";
    QTest::newRow("JSON") << "exec \"$0\" info sample --json > /dev/full";
    QTest::newRow("help") << "exec \"$0\" --help > /dev/full";
    QTest::newRow("file") << "exec \"$0\" convert sample -o - > /dev/full";
    QTest::newRow("closed") << "exec \"$0\" models >&-";
}

void TestCliOutput::answer_thatCannotBeWritten_isAFailure()
{
    QFETCH(const QString, script);
    const Answer answer = shell(script);
    QVERIFY2(answer.status == 5 || answer.status == 3, answer.err);
    QVERIFY2(answer.err.contains("written"), answer.err);
}

void TestCliOutput::names_withControls_doNotReachTheTerminal_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("info") << QStringList{"info", kNames};
    QTest::newRow("optimize") << QStringList{"optimize", kNames};
    QTest::newRow("timeline") << QStringList{"timeline", kNames, "--kernels"};
    QTest::newRow("missing file") << QStringList{"info", "a\x1b[2J\nb.onnx"};
    QTest::newRow("wrong use") << QStringList{"info", "sample", "--a\x1b[2J"};
}

void TestCliOutput::names_withControls_doNotReachTheTerminal()
{
    QFETCH(const QStringList, arguments);
    const Answer answer = cli(arguments);
    for (const QByteArray &text : {answer.out, answer.err}) {
        QVERIFY2(!text.contains('\x1b') && !text.contains("\xe2\x80\xae") && !text.contains("\nstage 9"), text);
        QVERIFY2(QString::fromUtf8(text).toUtf8() == text, text);
    }
}

void TestCliOutput::names_thatAreNoUtf8_areReplacedInJson()
{
    const Answer answer = cli({"optimize", kNames, "--json"});
    QCOMPARE(answer.status, 0);
    const QJsonValue group = QJsonValue(answer.json())["schedule"]["stages"][0]["groups"][0];
    QCOMPARE(group[1].toString(), QString::fromUtf8("caf\xef\xbf\xbd"));
    QCOMPARE(group[0].toString(), QString::fromUtf8("red\x1b[31m\nstage 9\xe2\x80\xae"));
    const QTemporaryDir folder;
    const Answer file = shell("cp '" + kNames +
                                  "' \"$(printf 'caf\\377.onnx')\" && "
                                  "exec \"$0\" info --json \"$(printf 'caf\\377.onnx')\"",
                              folder.path());
    QCOMPARE(file.status, 0);
    QCOMPARE(file.json()["name"].toString(), QString::fromUtf8("caf\xef\xbf\xbd"));
}

void TestCliOutput::names_thatAreNoUtf8_reachTheWorker()
{
    const Answer answer = cli({"measure", kNames, "-d", "cpu"});
    QVERIFY2(answer.status == 0, answer.err.constData());
    QVERIFY2(answer.out.contains("measured"), answer.out.constData());
}

void TestCliOutput::input_thatNeverEnds_isRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("schedule") << QStringList{"measure", "sample", "--schedule", "/dev/zero"};
    QTest::newRow("device") << QStringList{"measure", "sample", "-d", "rec:/dev/zero"};
    QTest::newRow("latencies") << QStringList{"latencies", "import", "/dev/zero"};
}

void TestCliOutput::input_thatNeverEnds_isRefused()
{
    QFETCH(const QStringList, arguments);
    const QTemporaryDir folder;
    const Answer answer = cli(arguments, {}, {"XDG_DATA_HOME=" + folder.path()});
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.err.contains("/dev/zero: this is not a regular file"), answer.err);
}

STAGECRAFT_SUITE(TestCliOutput)

} // namespace tst_cli_output
#include "tst_cli_output.moc"
