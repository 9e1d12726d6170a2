// Kits on the command line: what the folder has, what its recording proves, what is refused; and, where Python has
// PyTorch, the machine at the other end.

#include "support/cli_process.h"
#include "support/kit_answers.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace stagecraft::test;

namespace tst_cli_kit {

namespace {

constexpr int kMostRounds = 3;

QList<QJsonArray> stagesOf(const QString &kit)
{
    QList<QJsonArray> stages;
    for (const QByteArray &line : contentOf(kit + "/stages.jsonl").split('\n')) {
        if (!line.isEmpty())
            stages += QJsonDocument::fromJson(line).array();
    }
    return stages;
}

int linesIn(const QString &path)
{
    return static_cast<int>(contentOf(path).count('\n'));
}

struct Ended {
    int status = -1;
    QByteArray err;
};

Ended runKit(const QString &python, const QString &folder, const QStringList &options = {})
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(python, QStringList{"stagecraft_pytorch.py", "kit", "."} + options);
    if (!process.waitForFinished(120'000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardError()};
}

} // namespace

class TestCliKit : public QObject {
    Q_OBJECT

private slots:
    void kit_folder_hasWhatItSays();
    void kit_twice_replacesOnlyWhatWasNotRun();
    void kit_cannotBeWritten_leavesNothing_data();
    void kit_cannotBeWritten_leavesNothing();
    void kitNext_rounds_proveTheOptimum();
    void kitNext_json_saysWhatIsWanted();
    void kitNext_refusedStages_areNamedAndLeftOut();
    void kitNext_disturbedStages_areMeasuredAgain();
    void kitNext_lastLineCutOff_isLeftOut();
    void kitNext_wrongRecording_isRefused_data();
    void kitNext_wrongRecording_isRefused();
    void kitNext_otherOptions_areRefused_data();
    void kitNext_otherOptions_areRefused();
    void python_rounds_proveTheOptimum();
    void python_interrupted_goesOn();
    void python_wrongFolder_isRefused_data();
    void python_wrongFolder_isRefused();
    void python_otherDevice_isRefused();
};

void TestCliKit::kit_folder_hasWhatItSays()
{
    QTemporaryDir folder;
    const QJsonObject answer =
        cli({"kit", "squeezenet", "--batch", "2", "-d", "pytorch:cpu:3", "-o", "kit", "--json"}, folder.path()).json();
    QCOMPARE(answer["format"].toString(), "stagecraft-kit");
    QCOMPARE(answer["batch"].toInt(), 2);
    QCOMPARE(answer["round"].toInt(), 1);
    const QDir kit(folder.filePath("kit"));
    const QStringList files{"MANIFEST.sha256",       "README.md",  "kit.json",    "open.bin",
                            "stagecraft_pytorch.py", "stages.bin", "stages.jsonl"};
    QCOMPARE(kit.entryList(QDir::Files | QDir::Hidden, QDir::Name), files);
    QCOMPARE(answer["files"].toInt(), files.size());
    for (const QByteArray &line : contentOf(kit.filePath("MANIFEST.sha256")).trimmed().split('\n')) {
        const QByteArray content = contentOf(kit.filePath(line.mid(66)));
        QCOMPARE(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex(), line.first(64));
    }
    const QJsonObject about = QJsonDocument::fromJson(contentOf(kit.filePath("kit.json"))).object();
    QCOMPARE(about["device"].toString(), "pytorch:cpu:3");
    QCOMPARE(about["model_sha256"].toString().size(), 64);
    const QList<QJsonArray> stages = stagesOf(kit.path());
    QCOMPARE(about["stages"].toInt(), stages.size());
    QCOMPARE(answer["kit_stages"].toInt(), stages.size());
    QSet<QByteArray> places;
    for (const QJsonArray &stage : stages) {
        for (const QJsonValue place : stage) {
            QVERIFY(!place["latency_us"].isDouble() && place["signature"] == QJsonValue(stage.first())["signature"]);
            places += QJsonDocument(place.toObject()).toJson();
        }
    }
    QCOMPARE(answer["places"].toInt(), places.size());
    QVERIFY(contentOf(kit.filePath("README.md")).contains("python3 stagecraft_pytorch.py kit ."));
}

void TestCliKit::kit_twice_replacesOnlyWhatWasNotRun()
{
    QTemporaryDir folder;
    const QStringList kit{"kit", "sample", "-o", "kit"};
    QCOMPARE(cli(kit, folder.path()).status, 0);
    const QByteArray first = contentOf(folder.filePath("kit/stages.bin"));
    QCOMPARE(cli(kit, folder.path()).status, 0);
    QCOMPARE(contentOf(folder.filePath("kit/stages.bin")), first); // the same bytes every time
    answerKitFolder(folder.filePath("kit"));
    const Answer again = cli(kit, folder.path());
    QVERIFY2(again.status == 3 && again.err.contains("kit: "), again.err);
    QVERIFY(!contentOf(folder.filePath("kit/sample.latencies.jsonl")).isEmpty());
}

void TestCliKit::kit_cannotBeWritten_leavesNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status) {
        QTest::newRow(name) << arguments << says << status;
    };
    row("a file", {"sample", "-o", "file"}, "file: the folder cannot be written: a file or link of this name is there",
        3);
    row("a folder in use", {"sample", "-o", "full"}, "full: the folder cannot be written", 3);
    row("nowhere", {"sample", "-o", "no/kit"}, "no/kit: the folder cannot be written: No such file or directory", 3);
    row("no name", {"sample", "-o", "."}, "it has no name of its own", 3);
    row("no folder", {"sample"}, "--output is missing", 2);
    row("a device that is not PyTorch", {"sample", "-d", "gpu:0", "-o", "kit"}, "gpu:0", 2);
    row("a device that is not simulated", {"sample", "--like", "cpu", "-o", "kit"}, "cpu is not a simulated device", 2);
    row("a device that there is none of", {"sample", "--like", "sim:v1000", "-o", "kit"}, "v1000", 2);
    row("no stages", {"sample", "--stages", "0", "-o", "kit"}, "--stages: 0 is not a whole number from 1", 2);
    row("an operator without code", {sourcePath("tests/data/onnx/unknown_operator.onnx"), "-o", "kit"}, "operator ", 3);
}

void TestCliKit::kit_cannotBeWritten_leavesNothing()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    QFETCH(int, status);
    QTemporaryDir folder;
    write(folder.filePath("file"), "mine");
    QVERIFY(QDir(folder.path()).mkdir("full"));
    write(folder.filePath("full/notes"), "mine");
    const Answer answer = cli(QStringList{"kit"} + arguments, folder.path());
    QVERIFY2(answer.status == status && answer.err.contains(says), answer.err);
    QVERIFY(answer.out.isEmpty());
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{"file", "full"}));
}

void TestCliKit::kitNext_rounds_proveTheOptimum()
{
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "squeezenet", "--like", "sim:k80", "-o", "kit1"}, folder.path()).status, 0);
    int round = 1;
    QString recording;
    for (;; ++round) {
        QVERIFY2(round <= kMostRounds, "it takes more rounds");
        const QString kit = QString("kit%1").arg(round);
        recording = kit + "/" + answerKitFolder(folder.filePath(kit));
        const QString next = QString("kit%1").arg(round + 1);
        const Answer answer =
            cli({"optimize", "squeezenet", "-d", "rec:" + recording, "--kit-next", "-o", next}, folder.path());
        QVERIFY2(answer.status == 0, answer.err);
        QVERIFY2(answer.out.contains("(recorded)"), answer.out);
        if (!answer.out.contains("wrote " + next.toUtf8())) {
            QVERIFY2(answer.out.contains("there is no next kit"), answer.out);
            QVERIFY(!QDir(folder.filePath(next)).exists());
            break;
        }
        // The recording goes on in the next kit.
        QVERIFY(linesIn(folder.filePath(next + "/squeezenet.latencies.jsonl")) == linesIn(folder.filePath(recording)));
    }
    // The device like others, and it says the same.
    const QJsonObject said =
        cli({"optimize", "squeezenet", "-d", "rec:" + recording, "--kit-next", "--json"}, folder.path()).json();
    const QJsonObject found = cli({"optimize", "squeezenet", "-d", "rec:" + recording, "--json"}, folder.path()).json();
    QVERIFY(found["search"]["sum_us"].toDouble() > 0);
    QCOMPARE(found["search"]["sum_us"].toDouble(), said["latency_us"].toDouble());
    QCOMPARE(said["proved"].toBool(), true);
    QCOMPARE(said["stages_wanted"].toInt(), 0);
    // Kept with the latencies of the device itself.
    const QStringList own{"XDG_DATA_HOME=" + folder.path()};
    const Answer import = cli({"latencies", "import", recording}, folder.path(), own);
    QVERIFY2(import.status == 0 && import.out.contains("of squeezenet on far away"), import.err);
}

void TestCliKit::kitNext_json_saysWhatIsWanted()
{
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "squeezenet", "--stages", "60", "-o", "kit1"}, folder.path()).status, 0);
    QCOMPARE(stagesOf(folder.filePath("kit1")).size(), 60);
    const QString recording = "rec:kit1/" + answerKitFolder(folder.filePath("kit1"));
    const QStringList next{"optimize", "squeezenet", "-d", recording, "--kit-next", "--json"};
    const QJsonObject alone = cli(next, folder.path()).json();
    QVERIFY(!alone["proved"].toBool() && alone["search"]["gap"].toDouble() > 0);
    QVERIFY(alone["stages_wanted"].toInt() > 0 && alone["kit"].isNull() && alone["folder"].toString().isEmpty());
    QCOMPARE(alone["stages_measured"].toInt(), 60);
    QVERIFY(alone["last"].toBool()); // all that are wanted fit a kit of the usual size
    const QJsonObject few = cli(next + QStringList{"--kit-stages", "5", "-o", "kit2"}, folder.path()).json();
    QVERIFY(!few["last"].toBool());
    QCOMPARE(few["kit"]["kit_stages"].toInt(), 5);
    QCOMPARE(few["kit"]["round"].toInt(), 2);
    QCOMPARE(stagesOf(folder.filePath("kit2")).size(), 5);
    const QByteArray header = contentOf(folder.filePath("kit2/squeezenet.latencies.jsonl")).split('\n').first();
    QCOMPARE(QJsonDocument::fromJson(header)["kit"]["round"].toInt(), 2);
    QCOMPARE(QJsonDocument::fromJson(header)["fingerprint"].toString(), "far;away;");
}

void TestCliKit::kitNext_refusedStages_areNamedAndLeftOut()
{
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-o", "kit"}, folder.path()).status, 0);
    const QString recording = "rec:kit/" + answerKitFolder(folder.filePath("kit"), [](const QJsonObject &stage) {
                                  return stage["strategy"] == "merge" ? 0 : microsecondsOf(stage);
                              });
    const Answer next = cli({"optimize", "sample", "-d", recording, "--kit-next"}, folder.path());
    QVERIFY2(next.status == 0 && next.out.contains(" refused there"), next.out + next.err);
    QVERIFY2(next.err.contains("left out") && next.err.contains("it has no kernel there"), next.err);
    const Answer replayed = cli({"optimize", "sample", "-d", recording}, folder.path());
    QVERIFY2(replayed.status == 0 && !replayed.out.contains("  merge "), replayed.out + replayed.err);
}

void TestCliKit::kitNext_disturbedStages_areMeasuredAgain()
{
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "squeezenet", "--stages", "60", "-o", "kit1"}, folder.path()).status, 0);
    const QString recording = "kit1/" + answerKitFolder(folder.filePath("kit1"));
    QByteArray content = contentOf(folder.filePath(recording));
    const int begin = static_cast<int>(content.indexOf("\"stddev_us\":", content.indexOf("[[\"conv1\"]]"))) + 12;
    QVERIFY(begin > 12);
    content.replace(begin, static_cast<int>(content.indexOf(',', begin)) - begin, "40");
    write(folder.filePath(recording), content);
    const QJsonObject next =
        cli({"optimize", "squeezenet", "-d", "rec:" + recording, "--kit-next", "-o", "kit2", "--json"}, folder.path())
            .json();
    QVERIFY(!next["proved"].toBool());
    QCOMPARE(next["stages_disturbed"].toInt(), 1);
    QCOMPARE(next["kit"]["kit_stages"].toInt(), next["stages_wanted"].toInt() + 1);
    const QList<QJsonArray> stages = stagesOf(folder.filePath("kit2"));
    const QJsonArray again = stages.last();
    QVERIFY(linesIn(folder.filePath("kit2/squeezenet.latencies.jsonl")) ==
            linesIn(folder.filePath(recording)) - static_cast<int>(again.size()));
    answerKitFolder(folder.filePath("kit2"));
    const QJsonObject after =
        cli({"optimize", "squeezenet", "-d", "rec:kit2/squeezenet.latencies.jsonl", "--kit-next", "--json"},
            folder.path())
            .json();
    QCOMPARE(after["stages_disturbed"].toInt(), 0);
    QVERIFY(after["stages_measured"].toInt() > next["stages_measured"].toInt());
}

void TestCliKit::kitNext_lastLineCutOff_isLeftOut()
{
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-o", "kit"}, folder.path()).status, 0);
    const QString path = folder.filePath("kit/" + answerKitFolder(folder.filePath("kit")));
    QByteArray content = contentOf(path);
    content.chop(20);
    write(path, content);
    const Answer next = cli({"optimize", "sample", "-d", "rec:" + path, "--kit-next"}, folder.path());
    const QByteArray line = QByteArray::number(content.count('\n') + 1);
    QVERIFY2(next.status == 0 && next.err.contains("note: line " + line + " of the recording was cut off"), next.err);
    content.replace(content.lastIndexOf('\n') - 1, 1, "");
    write(path, content);
    const Answer broken = cli({"optimize", "sample", "-d", "rec:" + path, "--kit-next"}, folder.path());
    QVERIFY2(broken.status == 3 && broken.err.contains("the line is not JSON"), broken.err);
}

void TestCliKit::kitNext_wrongRecording_isRefused_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    const auto row = [](const char *name, const char *from, const char *to, const char *says, int status) {
        QTest::newRow(name) << QString(from) << QString(to) << QByteArray(says) << status;
    };
    row("another file of the model", "\"model_sha256\":\"2", "\"model_sha256\":\"3",
        "it was recorded for another file of sample", 2);
    row("another batch", "\"batch\":1", "\"batch\":4", "it was recorded at batch 4, the model is at batch 1", 2);
    row("another operator", "[\"conv1\"]", "[\"conv9\"]", "the model has no operator conv9", 3);
    row("a round that is none", "\"round\":1", "\"round\":0", "line 1: the round of the header's \"kit\"", 3);
    row("a kit that is none", "\"kit\":{", "\"kit\":1,\"was\":{", "line 1: the header's \"kit\" is not a JSON object",
        3);
    row("no boundary", "\"barrier_us\"", "\"barrier\"", "line 1: the header's \"kit\" lacks barrier_us", 3);
    row("not a recording", "stagecraft-latencies", "something-else", "line 1: the first line does not say", 3);
}

void TestCliKit::kitNext_wrongRecording_isRefused()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QByteArray, says);
    QFETCH(int, status);
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-o", "kit"}, folder.path()).status, 0);
    const QString path = folder.filePath("kit/" + answerKitFolder(folder.filePath("kit")));
    const QByteArray content = contentOf(path);
    QVERIFY(content.contains(from.toUtf8()));
    write(path, QByteArray(content).replace(from.toUtf8(), to.toUtf8()));
    const Answer next = cli({"optimize", "sample", "-d", "rec:" + path, "--kit-next", "-o", "kit2"}, folder.path());
    QVERIFY2(next.status == status && next.err.contains(says) && next.err.contains(path.toUtf8()), next.err);
    QVERIFY(!QDir(folder.filePath("kit2")).exists());
}

void TestCliKit::kitNext_otherOptions_areRefused_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("a device that answers") << QStringList{"-d", "sim:v100"} << QByteArray("sim:v100 is no recording");
    QTest::newRow("no file") << QStringList{"-d", "rec:none.latencies.jsonl"} << QByteArray("none.latencies.jsonl: ");
    QTest::newRow("streams") << QStringList{"-d", "rec:x", "--strategy", "nimble"} << QByteArray("--strategy: nimble");
    QTest::newRow("a cap") << QStringList{"-d", "rec:x", "--max-memory", "1MiB"}
                           << QByteArray("--max-memory does not go with --kit-next");
    QTest::newRow("why") << QStringList{"-d", "rec:x", "--why"} << QByteArray("--why does not go with --kit-next");
}

void TestCliKit::kitNext_otherOptions_areRefused()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, says);
    const Answer answer = cli(QStringList{"optimize", "sample", "--kit-next"} + options);
    QVERIFY2(answer.status == 2 || answer.status == 3, answer.err);
    QVERIFY2(answer.err.contains(says), answer.err);
}

void TestCliKit::python_rounds_proveTheOptimum()
{
    const QString python = pythonWithTorch();
    if (python.isEmpty())
        QSKIP("no Python here has PyTorch (python3-torch, or STAGECRAFT_PYTHON)");
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-d", "pytorch:cpu:1", "-o", "kit1"}, folder.path()).status, 0);
    for (int round = 1;; ++round) {
        QVERIFY2(round <= kMostRounds, "it takes more rounds");
        const QString kit = QString("kit%1").arg(round);
        const Ended ended = runKit(python, folder.filePath(kit));
        QVERIFY2(ended.status == 0, ended.err);
        QVERIFY2(ended.err.contains("sample at batch 1 is opened on PyTorch"), ended.err);
        const QString next = QString("kit%1").arg(round + 1);
        const Answer answer = cli(
            {"optimize", "sample", "-d", "rec:" + kit + "/sample.latencies.jsonl", "--kit-next", "-o", next, "--json"},
            folder.path());
        QVERIFY2(answer.status == 0, answer.err);
        if (answer.json()["proved"].toBool())
            break;
        QVERIFY2(answer.json()["kit"].isObject(), answer.out);
    }
    const QByteArray recording = contentOf(folder.filePath("kit1/sample.latencies.jsonl"));
    const QJsonDocument header = QJsonDocument::fromJson(recording.split('\n').first());
    QCOMPARE(header["engine"].toString(), "pytorch:cpu:1");
    QVERIFY(header["fingerprint"].toString().contains("threads=1;") && header["device"].toString().contains("PyTorch"));
    const QJsonDocument stage = QJsonDocument::fromJson(recording.split('\n')[1]);
    QVERIFY(stage["latency_us"].toDouble() > 0 && stage["runs"].toInt() > 1);
}

void TestCliKit::python_interrupted_goesOn()
{
    const QString python = pythonWithTorch();
    if (python.isEmpty())
        QSKIP("no Python here has PyTorch (python3-torch, or STAGECRAFT_PYTHON)");
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-d", "pytorch:cpu:1", "-o", "kit"}, folder.path()).status, 0);
    const QString kit = folder.filePath("kit"), recording = kit + "/sample.latencies.jsonl";
    QProcess process;
    process.setWorkingDirectory(kit);
    process.start(python, {"stagecraft_pytorch.py", "kit", "."});
    QTRY_VERIFY(linesIn(recording) > 3);
    kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY2(process.readAllStandardError().contains("what was measured is kept"), "it does not say so");
    const QByteArray before = contentOf(recording);
    QVERIFY(before.endsWith('\n') && before.count('\n') < 28);
    write(recording, before + R"({"strategy":"conc)"); // as a lost power line leaves it
    const Ended ended = runKit(python, kit);
    QVERIFY2(ended.status == 0 && ended.err.contains("was cut off, and is measured again"), ended.err);
    const QByteArray after = contentOf(recording);
    QVERIFY(after.startsWith(before)); // nothing twice, nothing lost
    QSet<QByteArray> names;
    int places = 0;
    for (const QJsonArray &stage : stagesOf(kit))
        places += static_cast<int>(stage.size());
    for (const QByteArray &line : after.trimmed().split('\n').mid(1))
        names += QJsonDocument(QJsonDocument::fromJson(line)["groups"].toArray()).toJson() +
                 QJsonDocument::fromJson(line)["strategy"].toString().toUtf8();
    QCOMPARE(names.size(), places);
    QCOMPARE(after.count('\n'), places + 1);
    const Ended done = runKit(python, kit);
    QCOMPARE(done.status, 0);
    QCOMPARE(contentOf(recording), after);
}

void TestCliKit::python_wrongFolder_isRefused_data()
{
    QTest::addColumn<QString>("file"); // that is changed
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const char *file, const QByteArray &content, const QByteArray &says) {
        QTest::newRow(name) << QString(file) << content << says;
    };
    row("no kit", "kit.json", "{}", "kit.json is not of a kit that this worker knows");
    row("a model that is cut off", "open.bin", "\x7f", "open.bin cannot be read");
    row("stages without names", "stages.jsonl", "", "stages.jsonl does not fit stages.bin");
    row("a recording that is none", "sample.latencies.jsonl", "hello\n", "line 1 is not of a recording");
}

void TestCliKit::python_wrongFolder_isRefused()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, says);
    const QString python = pythonWithTorch();
    if (python.isEmpty())
        QSKIP("no Python here has PyTorch (python3-torch, or STAGECRAFT_PYTHON)");
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-d", "pytorch:cpu:1", "-o", "kit"}, folder.path()).status, 0);
    write(folder.filePath("kit/" + file), content);
    const Ended ended = runKit(python, folder.filePath("kit"));
    QVERIFY2(ended.status == 3 && ended.err.contains(says), ended.err);
}

void TestCliKit::python_otherDevice_isRefused()
{
    const QString python = pythonWithTorch();
    if (python.isEmpty())
        QSKIP("no Python here has PyTorch (python3-torch, or STAGECRAFT_PYTHON)");
    QTemporaryDir folder;
    QCOMPARE(cli({"kit", "sample", "-d", "pytorch:cpu:1", "-o", "kit"}, folder.path()).status, 0);
    answerKitFolder(folder.filePath("kit"));
    const QByteArray before = contentOf(folder.filePath("kit/sample.latencies.jsonl"));
    const Ended ended = runKit(python, folder.filePath("kit"));
    QVERIFY2(ended.status == 2 && ended.err.contains("was measured on far away"), ended.err);
    QCOMPARE(contentOf(folder.filePath("kit/sample.latencies.jsonl")), before);
    QCOMPARE(runKit(python, folder.filePath("kit"), {"--device", "pytorch:tpu"}).status, 2);
}

STAGECRAFT_SUITE(TestCliKit)

} // namespace tst_cli_kit
#include "tst_cli_kit.moc"
