// The device onnxruntime: whole schedules in ONNX Runtime, its outputs, its own profile, and what it refuses. Needs a
// Python with onnxruntime, see packaging/test.sh; what does not is tested without.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/graph_making.h"
#include "support/peer_python.h"
#include "support/suite.h"

#include <QDir>
#include <QJsonArray>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <limits>
#include <map>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnxruntime_device {

class TestOnnxRuntimeDevice : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_python = pythonWith("onnxruntime, numpy"); }

    void devices_pythonWithoutIt_saysWhatToDo_data();
    void devices_pythonWithoutIt_saysWhatToDo();
    void devices_pythonWithIt_saysItsVersion();
    void compare_unlessTold_hasItsOwnBaselines();
    void optimize_streams_endsWithTheFastestInRounds();
    void search_ofStages_isRefused_data();
    void search_ofStages_isRefused();
    void run_anySchedule_computesWhatCpuDoes_data();
    void run_anySchedule_computesWhatCpuDoes();
    void timeline_ofItsOwnProfile_namesOperators();
    void optimize_nothingMeetsTheCap_isRefused();
    void edit_ofAStage_isMeasuredAsAWhole();
    void stop_leavesNoFiles();
    void measure_nodesKeptAsInTheFile_areCopiedFromIt();

private:
    Answer asked(const QStringList &arguments, const QString &folder = {}) const
    {
        return cli(arguments, folder, {"STAGECRAFT_PYTHON=" + m_python});
    }

    QString m_python;
};

#define NEED_PYTHON()                                                                                                  \
    if (m_python.isEmpty())                                                                                            \
    QSKIP("there is no Python with onnxruntime; packaging/test.sh installs it")

void TestOnnxRuntimeDevice::devices_pythonWithoutIt_saysWhatToDo_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no module")
        << QByteArray("#!/bin/sh\nread modules\nread asked\necho '{\"missing\": \"onnxruntime\"}'\n")
        << "has no onnxruntime; set STAGECRAFT_PYTHON to a Python that has numpy and onnxruntime";
    QTest::newRow("no Python") << QByteArray() << "cannot be started";
    QTest::newRow("it fails") << QByteArray("#!/bin/sh\nread modules\necho broken >&2\nexit 7\n")
                              << "ended with status 7: broken";
}

void TestOnnxRuntimeDevice::devices_pythonWithoutIt_saysWhatToDo()
{
    QFETCH(const QByteArray, script);
    QFETCH(const QString, reason);
    const QTemporaryDir folder;
    const QString python = folder.filePath("python");
    if (!script.isEmpty()) {
        write(python, script);
        QFile::setPermissions(python, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    const QStringList environment{"STAGECRAFT_PYTHON=" + python};
    for (const QJsonValue &device : cli({"devices", "--json"}, {}, environment).json()["devices"].toArray()) {
        if (device["id"] != "onnxruntime")
            continue;
        QCOMPARE(device["available"], false);
        QVERIFY2(device["reason"].toString().contains(reason), qPrintable(device["reason"].toString()));
        const Answer refused = cli({"measure", "sample", "-d", "onnxruntime"}, {}, environment);
        QCOMPARE(refused.status, 4);
        QVERIFY2(refused.err.contains(reason.toUtf8()), refused.err);
        return;
    }
    QFAIL("it is not listed");
}

void TestOnnxRuntimeDevice::devices_pythonWithIt_saysItsVersion()
{
    NEED_PYTHON();
    const Answer shown = asked({"devices", "onnxruntime:1:all", "--json"});
    QVERIFY2(shown.status == 0, shown.err);
    const QJsonObject device = shown.json();
    QCOMPARE(device["available"], true);
    QCOMPARE(device["provenance"], "measured");
    QVERIFY(device["title"].toString().startsWith("ONNX Runtime 1."));
    QCOMPARE(device["facts"].toObject()["graph optimisation level"], "all");
}

void TestOnnxRuntimeDevice::compare_unlessTold_hasItsOwnBaselines()
{
    NEED_PYTHON();
    const Answer compared = asked({"compare", "sample", "-d", "onnxruntime", "--rounds", "0", "--json"});
    QVERIFY2(compared.status == 0, compared.err);
    const QJsonObject json = compared.json();
    QCOMPARE(json["order"].toArray(), (QJsonArray{"sequential", "greedy", "by-depth", "streams"}));
    QCOMPARE(json["provenance"], "measured");
    for (const QString &name : QStringList{"sequential", "greedy", "by-depth", "streams"}) {
        const QJsonObject one = json["schedules"].toObject()[name].toObject();
        QVERIFY(one["latency_us"].toDouble() > 0);
        QCOMPARE(one["sum_of_stages"], false);
    }
    const QJsonObject own = json["on_own_streams"].toObject();
    QCOMPARE(own["device"], "onnxruntime:parallel");
    QVERIFY(own["latency_us"].toDouble() > 0);
    const Answer text =
        asked({"compare", "sample", "-d", "onnxruntime", "--schedule", "sequential", "--schedule", "greedy"});
    QVERIFY2(text.out.contains("whole schedules timed in 8 rounds"), text.out);
    QVERIFY2(text.out.contains("ONNX Runtime's own streams: "), text.out); // its verdict, from the same rounds
    QVERIFY2(text.out.contains("ONNX Runtime's own streams are those of onnxruntime:parallel"), text.out);
}

void TestOnnxRuntimeDevice::optimize_streams_endsWithTheFastestInRounds()
{
    NEED_PYTHON();
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.json");
    const Answer found =
        asked({"optimize", "sample", "-d", "onnxruntime", "--strategy", "streams", "-o", file, "--json"});
    QVERIFY2(found.status == 0, found.err);
    QStringList starts;
    for (const QJsonValue &start : found.json()["stream_search"].toObject()["starts"].toArray())
        starts << start["strategy"].toString();
    double least = std::numeric_limits<double>::infinity(); // as timed before the rounds
    for (const QJsonValue &start : found.json()["stream_search"].toObject()["starts"].toArray())
        least = std::min(least, start["latency_us"].toDouble());
    QVERIFY(found.json()["latency_us"].toDouble() < 3 * least);
    QVERIFY2(starts.contains("by-depth") && starts.contains("sequential") && !starts.contains("ios-both"),
             qPrintable(starts.join(' ')));
    const Answer again = asked({"measure", "sample", "-d", "onnxruntime", "--schedule", file, "--json"});
    QVERIFY2(again.status == 0, again.err);
    QCOMPARE(again.json()["provenance"], "measured");
}

void TestOnnxRuntimeDevice::search_ofStages_isRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("optimize") << QStringList{"optimize", "sample"};
    QTest::newRow("ios-relaxed") << QStringList{"optimize", "sample", "--strategy", "ios-relaxed"};
    QTest::newRow("compare") << QStringList{"compare", "sample", "--schedule", "ios-both"};
    QTest::newRow("sweep") << QStringList{"sweep", "sample"};
}

void TestOnnxRuntimeDevice::search_ofStages_isRefused()
{
    NEED_PYTHON();
    QFETCH(const QStringList, arguments);
    const Answer refused = asked(arguments + QStringList{"-d", "onnxruntime"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains("this device measures whole schedules") && refused.err.contains("Search for streams"),
             refused.err);
}

void TestOnnxRuntimeDevice::run_anySchedule_computesWhatCpuDoes_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("strategy");
    QTest::newRow("one stream") << "squeezenet"
                                << "sequential";
    QTest::newRow("groups of stages") << "squeezenet"
                                      << "both";
    QTest::newRow("merged, in streams") << "squeezenet"
                                        << "ios-relaxed";
    QTest::newRow("by depth") << "shufflenet_v2"
                              << "by-depth";
    QTest::newRow("units of several operators") << "randwire"
                                                << "nimble";
}

void TestOnnxRuntimeDevice::run_anySchedule_computesWhatCpuDoes()
{
    NEED_PYTHON();
    QFETCH(const QString, model);
    QFETCH(const QString, strategy);
    const QTemporaryDir folder;
    QString schedule = strategy;
    if (strategy != "sequential") {
        schedule = folder.filePath("s.json");
        QCOMPARE(
            cli({"optimize", model, "-d", "sim:v100", "--strategy", strategy, "--r", "2", "--s", "4", "-o", schedule})
                .status,
            0);
    }
    const Answer info = cli({"info", model, "--json"});
    const QJsonObject input = info.json()["inputs"].toArray()[0].toObject();
    HostTensor values;
    for (const QJsonValue &size : input["dims"].toArray())
        values.shape.dims.push_back(size.toInt());
    for (std::int64_t i = 0; i < values.shape.elements(); ++i)
        values.values.push_back(static_cast<float>((i * 7919) % 2001 - 1000) * 1e-3F);
    const std::string given = folder.filePath("x.npy").toStdString();
    QVERIFY(writeNpy(given, values));
    std::map<QString, HostTensor> outputs;
    for (const QString &device : QStringList{"cpu", "onnxruntime", "onnxruntime:all", "one stream"}) {
        const bool isAlone = device == "one stream";
        const QString output = folder.filePath("y.npy");
        const Answer ran = asked({"run", model, "--schedule", isAlone ? "sequential" : schedule, "-d",
                                  isAlone ? "onnxruntime" : device, "--input", QString::fromStdString(given),
                                  "--output", output, "--force"});
        QVERIFY2(ran.status == 0, ran.err);
        outputs[device] = take(readNpy(output.toStdString()));
    }
    const HostTensor &expected = outputs["cpu"];
    const HostTensor &alone = outputs["one stream"];
    QVERIFY(!expected.values.empty());
    float largest = 0;
    for (const float value : expected.values)
        largest = std::max(largest, std::abs(value));
    for (const QString &device : QStringList{"onnxruntime", "onnxruntime:all"}) {
        QCOMPARE(outputs[device].values.size(), expected.values.size());
        float apart = 0;
        float apartFromAlone = 0;
        for (std::size_t i = 0; i < expected.values.size(); ++i) {
            apart = std::max(apart, std::abs(outputs[device].values[i] - expected.values[i]));
            apartFromAlone = std::max(apartFromAlone, std::abs(outputs[device].values[i] - alone.values[i]));
        }
        QVERIFY2(apartFromAlone <= 1e-5F * largest, qPrintable(QString("%1: %2").arg(device).arg(apartFromAlone)));
        QVERIFY2(apart <= 1e-4F * largest, qPrintable(QString("%1: %2 of %3").arg(device).arg(apart).arg(largest)));
    }
}

void TestOnnxRuntimeDevice::timeline_ofItsOwnProfile_namesOperators()
{
    NEED_PYTHON();
    const Answer shown = asked({"timeline", "squeezenet", "-d", "onnxruntime", "--schedule", "greedy", "--json"});
    QVERIFY2(shown.status == 0, shown.err);
    const QJsonArray kernels = shown.json()["kernels"].toArray();
    QVERIFY(kernels.size() > 20);
    qsizetype named = 0;
    for (const QJsonValue &kernel : kernels)
        named += kernel["operators"].toArray().isEmpty() ? 0 : 1;
    QVERIFY2(named * 10 >= kernels.size() * 9, qPrintable(QString("%1 of %2").arg(named).arg(kernels.size())));
}

void TestOnnxRuntimeDevice::edit_ofAStage_isMeasuredAsAWhole()
{
    NEED_PYTHON();
    const QTemporaryDir folder;
    const Answer edited = asked({"edit", "sample", "--schedule", "greedy", "--split", "1:conv2", "-d", "onnxruntime",
                                 "-o", folder.filePath("e.json"), "--json"});
    QVERIFY2(edited.status == 0, edited.err);
    const QJsonObject json = edited.json();
    QVERIFY(json["latency_us"].toDouble() > 0);
    QCOMPARE(json["measured"].toArray().size(), 0); // stages
}

void TestOnnxRuntimeDevice::optimize_nothingMeetsTheCap_isRefused()
{
    NEED_PYTHON();
    const Answer refused =
        asked({"optimize", "sample", "-d", "onnxruntime", "--strategy", "streams", "--max-memory", "1KiB"});
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("all operators on one stream need ") && refused.err.contains("more than 1"),
             refused.err);
}

// Models with weights, streams and profiles are written for ONNX Runtime.
void TestOnnxRuntimeDevice::stop_leavesNoFiles()
{
    NEED_PYTHON();
    const QTemporaryDir folder;
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() +
                           QStringList{"STAGECRAFT_PYTHON=" + m_python, "TMPDIR=" + folder.path()});
    process.start(programPath("stagecraft-cli"),
                  {"optimize", "squeezenet", "-d", "onnxruntime", "--strategy", "streams", "--rounds", "0"});
    const auto filesThere = [&] {
        return QDir(folder.path()).entryList({"stagecraft-*"}, QDir::AllEntries | QDir::NoDotAndDotDot);
    };
    QTRY_VERIFY_WITH_TIMEOUT(!filesThere().filter(QRegularExpression("^stagecraft-[^.]{8}$")).isEmpty(), 60'000);
    kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QTRY_VERIFY2_WITH_TIMEOUT(filesThere().filter(QRegularExpression("^stagecraft-[^.]{8}$")).isEmpty(),
                              qPrintable(filesThere().join(' ')), 20'000);
}

// A subgraph, which the graph that the worker gets does not hold.
void TestOnnxRuntimeDevice::measure_nodesKeptAsInTheFile_areCopiedFromIt()
{
    NEED_PYTHON();
    const QTemporaryDir folder;
    const QString file = folder.filePath("net.onnx");
    QVERIFY(QFile::copy(sourcePath("tests/data/onnx/branches.onnx"), file));
    const Answer measured = asked({"measure", "net.onnx", "-d", "onnxruntime", "--json"}, folder.path());
    QVERIFY2(measured.status == 0, measured.err);
    QVERIFY(measured.json()["latency_us"].toDouble() > 0);
}

STAGECRAFT_SUITE(TestOnnxRuntimeDevice)

} // namespace tst_onnxruntime_device
#include "tst_onnxruntime_device.moc"
