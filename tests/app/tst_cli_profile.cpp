// "profile": what other programs recorded, on the operators of a model.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft::test;

namespace tst_cli_profile {

namespace {

const QString kLayers = sourcePath("tests/data/profiles/sample.layers.json");
const QString kRuns = sourcePath("tests/data/profiles/sample.runs.json");

} // namespace

class TestCliProfile : public QObject {
    Q_OBJECT

private slots:
    void profile_layers_areMappedAndAddUp();
    void profile_textForPeople_namesWhatIsMissing();
    void profile_noneFits_opensWithAWarning();
    void profile_ownTraces_comeBack_data();
    void profile_ownTraces_comeBack();
    void profile_ownTraces_giveTheirScheduleBack_data();
    void profile_ownTraces_giveTheirScheduleBack();
    void profile_otherFiles_areRefused_data();
    void profile_otherFiles_areRefused();
    void profile_tracesOfOthers_open_data();
    void profile_tracesOfOthers_open();
    void profile_output_isAScheduleWithItsLatency();
    void profile_output_isComparedWithOthers();
    void profile_outputAtAnotherBatch_isRefused();
    void profile_output_hasATimelineAndExports();
};

void TestCliProfile::profile_layers_areMappedAndAddUp()
{
    const Answer answer = cli({"profile", "sample", kLayers, kRuns, "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["profile_format"].toString(), QString("tensorrt"));
    QCOMPARE(json["provenance"].toString(), QString("recorded"));
    QCOMPARE(json["latency_us"].toDouble(), 550.0);
    QCOMPARE(json["sum_us"].toDouble(), 614.4);
    QCOMPARE(json["mapped_us"].toDouble(), 593.92);
    QCOMPARE(json["unmapped_us"].toDouble(), 20.48);
    QCOMPARE(json["unmapped"].toArray().first()["name"].toString(), QString("shuffle"));
    QStringList operators;
    for (const QJsonValue &op : json["operators"].toArray())
        operators << op["name"].toString() + ": " + op["mapped_by"].toString();
    QCOMPARE(operators, QStringList({"conv2: fused names", "conv3: name", "conv4: renamed node"}));
    QVERIFY(json["busy_us"].isNull() && json["device"].isNull());
    for (const char *key : {"busy_us", "overlap_us", "gaps_us", "device", "streams", "program_version"})
        QVERIFY2(json[key].isNull() && !json["missing"][key].toString().isEmpty(), key);
    double latencyUs = json["sum_us"].toDouble();
    for (const QJsonValue &difference : json["differences"].toArray())
        latencyUs += difference["time_us"].toDouble();
    QVERIFY(qAbs(latencyUs - json["latency_us"].toDouble()) < 1e-9);
}

void TestCliProfile::profile_textForPeople_namesWhatIsMissing()
{
    const Answer answer = cli({"profile", "sample", kLayers});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.out.contains("sample, recorded by TensorRT on an unknown device: latency unknown (recorded)"),
             answer.out);
    QVERIFY2(answer.out.contains("mapped 593.9 us 96.7 %, mapped to nothing 20.5 us 3.3 %"), answer.out);
    QVERIFY2(answer.out.contains("missing: latency_us: the sum of layers is not the latency"), answer.out);
    QVERIFY(answer.err.isEmpty());
}

void TestCliProfile::profile_noneFits_opensWithAWarning()
{
    const QTemporaryDir folder;
    write(folder.filePath("x.json"), R"([{"count": 1}, {"name": "elsewhere", "timeMs": 0.5}])");
    const Answer answer = cli({"profile", "sample", "x.json", "--json"}, folder.path());
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.err.contains("warning: none of the 1 kernels or layers fits an operator of sample"), answer.err);
    QCOMPARE(answer.json()["unmapped_us"].toDouble(), 500.0);
    QVERIFY(answer.json()["operators"].toArray().isEmpty());
}

void TestCliProfile::profile_ownTraces_comeBack_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::newRow("chrome") << "t.json"
                            << "chrome-trace";
    QTest::newRow("perfetto") << "t.pftrace"
                              << "perfetto";
}

void TestCliProfile::profile_ownTraces_comeBack()
{
    QFETCH(QString, file);
    QFETCH(QString, format);
    const QTemporaryDir folder;
    QCOMPARE(
        cli({"export", "squeezenet", "greedy", "-d", "sim:v100", "--format", format, "-o", file}, folder.path()).status,
        0);
    const QJsonObject timeline =
        cli({"timeline", "squeezenet", "-d", "sim:v100", "--schedule", "greedy", "--json"}).json();
    const Answer answer = cli({"profile", "squeezenet", file, "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["profile_format"].toString(), "stagecraft-" + format);
    QCOMPARE(json["device"].toString(), QString("sim:v100"));
    QCOMPARE(json["unmapped_us"].toDouble(), 0.0);
    QCOMPARE(json["streams"].toInt(), timeline["streams"].toInt());
    double sumUs = 0;
    const QJsonArray kernels = timeline["kernels"].toArray();
    for (const QJsonValue &kernel : kernels)
        sumUs += kernel["end_us"].toDouble() - kernel["start_us"].toDouble();
    QCOMPARE(json["kernels"].toInt(), static_cast<int>(kernels.size()));
    QVERIFY(qAbs(json["sum_us"].toDouble() - sumUs) < 1e-6);
    QVERIFY(json["overlap_us"].toDouble() > 0);
    double latencyUs = sumUs;
    for (const QJsonValue &difference : json["differences"].toArray())
        latencyUs += difference["time_us"].toDouble();
    QVERIFY(qAbs(json["latency_us"].toDouble() - latencyUs) < 1e-6);
    QVERIFY(qAbs(json["latency_us"].toDouble() - timeline["duration_us"].toDouble()) < 1e-6);
}

void TestCliProfile::profile_ownTraces_giveTheirScheduleBack_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("search");
    QTest::addColumn<QByteArray>("has"); // the schedule file
    const auto add = [](const char *name, const QString &model, const QStringList &search, const QByteArray &has) {
        const QByteArray row(name);
        QTest::newRow((row + ", chrome").constData()) << "t.json"
                                                      << "chrome-trace" << model << search << has;
        QTest::newRow((row + ", perfetto").constData()) << "t.pftrace"
                                                        << "perfetto" << model << search << has;
    };
    add("merges", "squeezenet", {}, R"("merge")");
    add("operators without kernels", "moe", {}, R"("stages")");
    add("launch orders", "moe", {"--launch-order"}, R"("launch_order")");
    add("streams", "sample", {"--strategy", "nimble"}, R"("events")");
    add("streams with merges", "squeezenet", {"--strategy", "streams"}, R"("streams")");
    add("fused", "sample", {"--strategy", "all"}, R"("fused")");
}

// Stages, merges too, with their latencies and that of the whole, which begins and ends where no kernel runs.
void TestCliProfile::profile_ownTraces_giveTheirScheduleBack()
{
    QFETCH(QString, file);
    QFETCH(QString, format);
    QFETCH(QString, model);
    QFETCH(QStringList, search);
    QFETCH(QByteArray, has);
    const QTemporaryDir folder;
    const QStringList device{"-d", "sim:v100"};
    QCOMPARE(cli(QStringList{"optimize", model, "-o", "made.schedule.json"} + device + search, folder.path()).status,
             0);
    QCOMPARE(
        cli(QStringList{"export", model, "made.schedule.json", "--format", format, "-o", file} + device, folder.path())
            .status,
        0);
    const Answer answer = cli({"profile", model, file, "-o", "back.schedule.json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const auto read = [&](const char *name) {
        QFile json(folder.filePath(name));
        if (!json.open(QIODevice::ReadOnly))
            qFatal("no %s", name);
        return json.readAll();
    };
    const QByteArray text = read("made.schedule.json");
    QVERIFY(text.contains(has));
    const QJsonObject made = QJsonDocument::fromJson(text).object();
    const QJsonObject back = QJsonDocument::fromJson(read("back.schedule.json")).object();
    QVERIFY(qAbs(back["latency_us"].toDouble() - made["latency_us"].toDouble()) < 0.001);
    const QJsonArray stages = made["stages"].toArray();
    QCOMPARE(back["stages"].toArray().size(), stages.size());
    for (const char *key : {"kind", "streams", "launch_order", "events"})
        QCOMPARE(back.value(key), made.value(key));
    for (qsizetype i = 0; i < stages.size(); ++i) {
        const QJsonObject stage = back["stages"].toArray()[i].toObject();
        for (const char *key : {"block", "strategy", "groups", "launch_order"})
            QCOMPARE(stage.value(key), stages[i].toObject().value(key));
        QVERIFY(qAbs(stage["latency_us"].toDouble() - stages[i].toObject()["latency_us"].toDouble()) < 0.001);
    }
    // The same kernels, counters and parts of the time.
    const auto timeline = [&](const char *name) {
        return cli(QStringList{"timeline", model, "--schedule", name, "--json"} +
                       (name == QByteArray("made.schedule.json") ? device : QStringList()),
                   folder.path())
            .json();
    };
    const QJsonObject before = timeline("made.schedule.json");
    const QJsonObject after = timeline("back.schedule.json");
    for (const char *key : {"duration_us", "streams", "counters", "stages"})
        QCOMPARE(after.value(key), before.value(key));
    const QJsonArray kernels = before["kernels"].toArray();
    QCOMPARE(after["kernels"].toArray().size(), kernels.size());
    for (qsizetype i = 0; i < kernels.size(); ++i) {
        for (const char *key : {"operators", "stage", "group", "start_us", "end_us", "flops"})
            QCOMPARE(after["kernels"].toArray()[i].toObject().value(key), kernels[i].toObject().value(key));
    }
}

void TestCliProfile::profile_otherFiles_areRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no file") << QStringList{"sample"} << 2 << QByteArray("FILE");
    QTest::newRow("not there") << QStringList{"sample", "/no/such/trace.json"} << 3
                               << QByteArray("/no/such/trace.json");
    QTest::newRow("a model") << QStringList{"sample", sourcePath("tests/data/onnx/residual.onnx")} << 3
                             << QByteArray("it is no profile that this program knows");
    QTest::newRow("no times") << QStringList{"sample", kRuns} << 3
                              << QByteArray("sample.runs.json: these files have no times of layers");
    QTest::newRow("twice") << QStringList{"sample", kLayers, kLayers} << 3 << QByteArray("they are of two profiles");
}

void TestCliProfile::profile_otherFiles_areRefused()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QByteArray, says);
    const Answer answer = cli(QStringList{"profile"} + arguments);
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err);
    QVERIFY(answer.out.isEmpty());
}

void TestCliProfile::profile_tracesOfOthers_open_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("files");
    for (const char *name :
         {"a100_alexnet", "a100_three_streams", "cpu_only", "mi250", "triton", "v100_resnet50_train"})
        QTest::newRow(name) << "resnet50" << QStringList{QString("profiles/pytorch/%1.json.gz").arg(name)};
    for (const char *name : {"pytorch_A100_fp16", "pytorch_A100_fp32", "pytorch_A100_qat", "tensorflow_RTX-3090_fp16",
                             "tensorflow_RTX-3090_fp32"})
        QTest::newRow(name) << (QString(name).startsWith("pytorch") ? "profiles/tensorrt/resnet18.onnx" : "resnet50")
                            << QStringList{QString("profiles/tensorrt/%1.profile.json").arg(name),
                                           QString("profiles/tensorrt/%1.graph.json").arg(name)};
}

void TestCliProfile::profile_tracesOfOthers_open()
{
    QFETCH(QString, model);
    QFETCH(QStringList, files);
    QStringList arguments{"profile", model.endsWith(".onnx") ? sharedDataPath(model) : model};
    for (const QString &file : files) {
        arguments << sharedDataPath(file);
        if (arguments.last().isEmpty())
            QSKIP(kNoSharedData);
    }
    const Answer answer = cli(arguments + QStringList{"--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QVERIFY(json["kernels"].toInt() > 0);
    QVERIFY(qAbs(json["mapped_us"].toDouble() + json["unmapped_us"].toDouble() - json["sum_us"].toDouble()) < 1e-6);
    for (auto key = json.begin(); key != json.end(); ++key)
        QVERIFY2(!key->isNull() || json["missing"].toObject().contains(key.key()), qPrintable(key.key()));
}

// Recorded, so no device is asked for it unless one is named.
void TestCliProfile::profile_output_isAScheduleWithItsLatency()
{
    const QTemporaryDir folder;
    const Answer written = cli({"profile", "sample", kLayers, kRuns, "-o", "p.schedule.json"}, folder.path());
    QVERIFY2(written.status == 0, written.err);
    QVERIFY2(written.out.endsWith("wrote p.schedule.json: the schedule that was observed, with its recorded latency\n"),
             written.out);
    const Answer known = cli({"measure", "sample", "--schedule", "p.schedule.json", "--json"}, folder.path());
    QVERIFY2(known.status == 0, known.err);
    const QJsonObject json = known.json();
    QCOMPARE(json["latency_us"].toDouble(), 550.0);
    QCOMPARE(json["provenance"].toString(), QString("recorded"));
    QCOMPARE(json["device"].toString(), QString("unknown device (profile)"));
    double stagesUs = 0;
    for (const QJsonValue &us : json["stage_latency_us"].toArray())
        stagesUs += us.toDouble();
    QVERIFY(qAbs(stagesUs - 593.92) < 1e-9);
    const Answer text = cli({"measure", "sample", "--schedule", "p.schedule.json"}, folder.path());
    QVERIFY2(text.out.contains("on unknown device (profile), batch 1: 550.0 us (recorded, precision not stated)"),
             text.out);
    const Answer there =
        cli({"measure", "sample", "-d", "sim:v100", "--schedule", "p.schedule.json", "--json"}, folder.path());
    QCOMPARE(there.json()["provenance"].toString(), QString("simulated"));
    QVERIFY2(there.err.contains("the schedule was made for unknown device (profile), not for sim:v100"), there.err);
}

void TestCliProfile::profile_output_isComparedWithOthers()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"profile", "sample", kLayers, kRuns, "-o", "p.schedule.json"}, folder.path()).status, 0);
    const QStringList compare{"compare",    "sample",     "-d",         "sim:v100",
                              "--schedule", "sequential", "--schedule", "p.schedule.json"};
    const Answer answer = cli(compare + QStringList{"--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject schedules = answer.json()["schedules"].toObject();
    const QJsonObject recorded = schedules["p.schedule.json"].toObject();
    QCOMPARE(recorded["latency_us"].toDouble(), 550.0);
    QCOMPARE(recorded["recorded_on"].toString(), QString("unknown device (profile)"));
    QVERIFY(recorded["verdict"].isNull());
    const double sequentialUs = schedules["sequential"].toObject()["latency_us"].toDouble();
    QVERIFY(qAbs(recorded["speedup"].toDouble() - sequentialUs / 550) < 1e-9);
    QVERIFY(!schedules["sequential"].toObject().contains("recorded_on"));
    const Answer text = cli(compare, folder.path());
    QVERIFY2(
        text.out.contains("p.schedule.json was recorded on unknown device (profile): latencies that were not timed "
                          "together are numbers, not a verdict"),
        text.out);
    // --fail-below goes by the numbers.
    const QString below = QString::number(sequentialUs / 550 * 0.9);
    const QString above = QString::number(sequentialUs / 550 * 1.1);
    QCOMPARE(cli(compare + QStringList{"--fail-below", below}, folder.path()).status, 0);
    QCOMPARE(cli(compare + QStringList{"--fail-below", above}, folder.path()).status, 1);
}

void TestCliProfile::profile_outputAtAnotherBatch_isRefused()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"profile", "sample", kLayers, kRuns, "--batch", "4", "-o", "p.schedule.json"}, folder.path()).status,
             0);
    const Answer known = cli({"measure", "sample", "--schedule", "p.schedule.json", "--json"}, folder.path());
    QCOMPARE(known.json()["batch"].toInt(), 4);
    for (const QStringList &command :
         {QStringList{"measure", "sample", "--batch", "2"}, QStringList{"timeline", "sample", "--batch", "2"},
          QStringList{"compare", "sample"}}) {
        const Answer answer = cli(command + QStringList{"--schedule", "p.schedule.json"}, folder.path());
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("the latencies of the profile were recorded at batch 4"), answer.err);
        QVERIFY2(answer.err.contains("--batch 4"), answer.err);
    }
}

void TestCliProfile::profile_output_hasATimelineAndExports()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"profile", "sample", kLayers, kRuns, "-o", "p.schedule.json"}, folder.path()).status, 0);
    const Answer answer = cli({"timeline", "sample", "--schedule", "p.schedule.json", "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["provenance"].toString(), QString("recorded"));
    QCOMPARE(json["stream_names"].toArray().first().toString(), QString("layers"));
    int unmapped = 0;
    for (const QJsonValue &kernel : json["kernels"].toArray())
        unmapped += kernel["stage"].isNull() ? 1 : 0;
    QCOMPARE(unmapped, 1);
    const Answer kernels = cli({"timeline", "sample", "--schedule", "p.schedule.json", "--kernels"}, folder.path());
    QVERIFY2(kernels.out.contains("shuffle"), kernels.out);
    for (const char *name : {"p.csv", "p.svg", "p.pftrace", "p.html"}) {
        const Answer exported = cli({"export", "sample", "p.schedule.json", "-o", name}, folder.path());
        QVERIFY2(exported.status == 0, exported.err);
    }
    const Answer needs = cli({"export", "sample", "greedy", "-o", "g.pftrace"}, folder.path());
    QCOMPARE(needs.status, 2);
    QVERIFY2(needs.err.contains("the view timeline needs a device"), needs.err);
    // A trace of it comes back as it was.
    const Answer again = cli({"profile", "sample", "p.pftrace", "--json"}, folder.path());
    QCOMPARE(again.json()["sum_us"].toDouble(), 614.4);
    QCOMPARE(again.json()["unmapped_us"].toDouble(), 20.48);
}

STAGECRAFT_SUITE(TestCliProfile)

} // namespace tst_cli_profile
#include "tst_cli_profile.moc"
