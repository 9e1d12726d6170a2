// The command line end to end, as callers see it: answers on standard output, messages on standard error, exit status.
// See DESIGN.md, "Command line".
// Past 500 lines: one command line; what has many cases of its own is in tst_cli_*.

#include "flow/open_model.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli {

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void models_json_listsTheBuiltInNetworks();
    void models_people_readTheParametersOfGenerators();
    void devices_json_saysProvenanceAndAvailability();
    void devices_ofOneDevice_writesADescriptionToChange();
    void devices_gpuModuleThatDoesNotLoad_saysWhatToDo_data();
    void devices_gpuModuleThatDoesNotLoad_saysWhatToDo();
    void timeline_json_hasKernelsCountersAndStages();
    void timeline_cpu_speaksOfThreads();
    void timeline_gpuThatIsNotThere_isRefusedWithItsReason();
    void measure_text_saysTheDifferenceToTheSumOfStages();
    void info_builtIn_hasTheUnitsOfThePaper_data();
    void info_builtIn_hasTheUnitsOfThePaper();
    void info_count_addsTheSpaceOfEveryBlock();
    void optimize_thenMeasure_agree();
    void optimize_recordedByAThirdParty_findsItsOptimum();
    void optimize_recordingWithoutAStage_saysWhich();
    void measure_recordedClocks_areShown();
    void info_countWithLimit_saysThereIsMore();
    void compare_inceptionV3_iosBeatsSequential();
    void convert_thenInfo_keepsUnitsAndBlocks();
    void refusals_data();
    void refusals();
    void studies_text_sayProvenanceInEveryRow_data();
    void studies_text_sayProvenanceInEveryRow();
    void specialize_batchesAndDevices_runsEveryCombination();
    void help_ofEveryCommand_isThere_data();
    void help_ofEveryCommand_isThere();
};

void TestCli::models_json_listsTheBuiltInNetworks()
{
    const Answer answer = cli({"models", "--json"});
    QCOMPARE(answer.status, 0);
    QStringList names;
    for (const QJsonValue &model : answer.json()["models"].toArray())
        names << model["name"].toString();
    for (const char *name : {"sample", "inception_v3", "randwire", "nasnet", "squeezenet", "transformer", "moe"})
        QVERIFY2(names.contains(name), name);
}

void TestCli::models_people_readTheParametersOfGenerators()
{
    const Answer answer = cli({"models"});
    QCOMPARE(answer.status, 0);
    for (const BuiltInModel &model : builtInModels()) {
        for (const GeneratorParameter &parameter : model.parameters)
            QVERIFY2(answer.out.contains(QByteArray::fromStdString(std::string(parameter.means))), model.name.c_str());
    }
}

void TestCli::devices_json_saysProvenanceAndAvailability()
{
    const Answer answer = cli({"devices", "--json"});
    QCOMPARE(answer.status, 0);
    bool found = false;
    for (const QJsonValue &device : answer.json()["devices"].toArray()) {
        const QString reason = device["reason"].toString();
        QVERIFY(device["available"].toBool() || !reason.isEmpty());
        QVERIFY2(!reason.contains(QStringLiteral("killed")), qPrintable(reason)); // a module that breaks the worker
        found = found || (device["id"] == "sim:v100" && device["provenance"] == "simulated");
    }
    QVERIFY(found);
}

void TestCli::devices_ofOneDevice_writesADescriptionToChange()
{
    QTemporaryDir folder;
    const Answer shown = cli({"devices", "sim:k80", "-o", "mine.json"}, folder.path());
    QCOMPARE(shown.status, 0);
    for (const char *expected : {"sm_count", "four published latencies", "sm_clock_mhz", "MHz", "10000"})
        QVERIFY2(shown.out.contains(expected), expected);
    QFile file(folder.filePath("mine.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("\"sm_count\": 13,"));
    write(file.fileName(), QByteArray(text).replace("\"sm_count\": 13,", "\"sm_count\": 26,"));

    const QJsonObject own = cli({"devices", "sim:mine.json", "--json"}, folder.path()).json();
    QVERIFY(own["title"].toString().contains("from mine.json"));
    QVERIFY(own["calibration"].toString().startsWith("as mine.json says, four published latencies"));
    const auto sequentialUs = [&](const QString &device) {
        const QJsonObject compared = cli({"compare", "sample", "-d", device, "--json"}, folder.path()).json();
        return compared["schedules"]["sequential"]["latency_us"].toDouble();
    };
    QVERIFY(sequentialUs("sim:mine.json") > 0);
    QVERIFY(sequentialUs("sim:mine.json") < sequentialUs("sim:k80"));
    QCOMPARE(sequentialUs("sim:mine.json"), sequentialUs("sim:k80*sm_count=26"));

    write(file.fileName(), QByteArray(text).replace("\"sm_count\": 13,", "\"sm_count\": -13,"));
    const Answer refused = cli({"compare", "sample", "-d", "sim:mine.json"}, folder.path());
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("mine.json: sm_count is -13. Give the SMs as a whole number, from 1 to 1024."),
             refused.err);
    QCOMPARE(cli({"devices", "cpu", "-o", "mine.json"}, folder.path()).status, 2);
}

void TestCli::devices_gpuModuleThatDoesNotLoad_saysWhatToDo_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("reason");
    QTest::newRow("missing") << "/nowhere/libstagecraft_gpu.so"
                             << "this installation has no GPU module; build it on a machine with the CUDA toolkit";
    QTest::newRow("no library") << sourcePath("README.md") << "the GPU module does not load: ";
    QTest::newRow("another library") << "/lib/x86_64-linux-gnu/libc.so.6"
                                     << "belongs to another version of the program";
}

void TestCli::devices_gpuModuleThatDoesNotLoad_saysWhatToDo()
{
    QFETCH(const QString, file);
    QFETCH(const QString, reason);
    const Answer answer = cli({"devices", "--json"}, {}, {"STAGECRAFT_GPU_MODULE=" + file});
    QCOMPARE(answer.status, 0);
    QString told;
    for (const QJsonValue &device : answer.json()["devices"].toArray()) {
        if (device["id"].toString() == "gpu:0") {
            QVERIFY(!device["available"].toBool());
            told = device["reason"].toString();
        }
    }
    QVERIFY2(told.contains(reason), qPrintable(told));
}

void TestCli::timeline_json_hasKernelsCountersAndStages()
{
    const Answer answer = cli({"timeline", "sample", "--device", "sim:v100", "--schedule", "greedy", "--json"});
    QCOMPARE(answer.status, 0);
    const QJsonObject timeline = answer.json();
    QCOMPARE(timeline["provenance"].toString(), QString("simulated"));
    QCOMPARE(timeline["stages"].toArray().size(), 3);
    QVERIFY(timeline["kernels"].toArray().size() >= 4);
    const QJsonObject kernel = timeline["kernels"].toArray().first().toObject();
    QVERIFY(!kernel["operators"].toArray().isEmpty());
    QVERIFY(kernel["end_us"].toDouble() > kernel["start_us"].toDouble());
    const QJsonObject counter = timeline["counters"].toArray().first().toObject();
    QCOMPARE(counter["name"].toString(), QString("active warps"));
    QCOMPARE(counter["kind"].toString(), QString("simulated"));
    QVERIFY(counter["mean"].toDouble() > 0 && counter["mean"].toDouble() < counter["maximum"].toDouble());
    QCOMPARE(counter["times_us"].toArray().size(), counter["values"].toArray().size());
    QVERIFY(timeline["notes"].toArray().isEmpty());
    const Answer text = cli({"timeline", "sample", "--device", "sim:v100", "--kernels"});
    QVERIFY(text.out.contains("active warps") && text.out.contains("sequential schedule on sim:v100: "));
}

void TestCli::timeline_cpu_speaksOfThreads()
{
    const Answer answer = cli({"timeline", "sample", "--device", "cpu", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject timeline = answer.json();
    const int threads = timeline["threads"].toInt();
    QVERIFY(threads >= 1 && !timeline.contains("streams"));
    const QJsonArray kernels = timeline["kernels"].toArray();
    QCOMPARE(kernels.size(), 5);               // each operator once
    for (const QJsonValue &kernel : kernels) { // one at a time, each with all threads
        QCOMPARE(kernel["first_thread"].toInt(), 0);
        QCOMPARE(kernel["threads"].toInt(), threads);
        QVERIFY(!kernel.toObject().contains("grid"));
    }
    QCOMPARE(timeline["counters"].toArray().first()["kind"].toString(), QString("derived"));
    const Answer text = cli({"timeline", "sample", "--device", "cpu", "--kernels"});
    QVERIFY2(text.out.contains("5 operators on " + QByteArray::number(threads) + " thread"), text.out);
    QVERIFY2(!text.out.contains("stream") && !text.out.contains("blocks"), text.out);
}

void TestCli::timeline_gpuThatIsNotThere_isRefusedWithItsReason()
{
    const Answer answer = cli({"timeline", "sample", "--device", "gpu:99"});
    QCOMPARE(answer.status, 4);
    QVERIFY2(answer.err.contains("gpu:99 is not available: "), answer.err.constData());
}

void TestCli::measure_text_saysTheDifferenceToTheSumOfStages()
{
    const Answer answer = cli({"measure", "sample", "--device", "sim:v100", "--schedule", "greedy"});
    QCOMPARE(answer.status, 0);
    static const QRegularExpression line(
        R"(3 stages alone add up to [0-9.]+ us, [0-9.]+ us (less|more) than the schedule in one go)");
    QVERIFY2(line.match(QString::fromUtf8(answer.out)).hasMatch(), answer.out.constData());
}

void TestCli::info_builtIn_hasTheUnitsOfThePaper_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("operators");
    QTest::addColumn<int>("blocks");
    QTest::newRow("sample") << "sample" << 5 << 1;
    QTest::newRow("inception_v3") << "inception_v3" << 119 << 13;
    QTest::newRow("randwire") << "randwire" << 120 << 6;
    QTest::newRow("nasnet") << "nasnet" << 374 << 25;
    QTest::newRow("squeezenet") << "squeezenet" << 50 << 12;
}

void TestCli::info_builtIn_hasTheUnitsOfThePaper()
{
    QFETCH(const QString, model);
    QFETCH(const int, operators);
    QFETCH(const int, blocks);
    const Answer answer = cli({"info", model, "--json"});
    QCOMPARE(answer.status, 0);
    const QJsonObject info = answer.json();
    QCOMPARE(info["name"].toString(), model);
    QCOMPARE(info["operators"].toInt(), operators);
    QCOMPARE(info["blocks"].toArray().size(), blocks);
    int sum = 0;
    for (const QJsonValue &block : info["blocks"].toArray())
        sum += block["operators"].toInt();
    QCOMPARE(sum, operators);
}

void TestCli::info_count_addsTheSpaceOfEveryBlock()
{
    const Answer answer = cli({"info", "squeezenet", "--count", "--json"});
    QCOMPARE(answer.status, 0);
    double most = 0;
    double schedules = 0;
    for (const QJsonValue &block : answer.json()["blocks"].toArray()) {
        QVERIFY(block["states"].toDouble() > 0);
        most = std::max(most, block["transitions"].toDouble());
        schedules = std::max(schedules, block["schedules"].toDouble());
    }
    QCOMPARE(most, 60.0); // FIGURES.md, the full space
    QCOMPARE(schedules, 152.0);
}

void TestCli::optimize_thenMeasure_agree()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.schedule.json");
    const Answer optimized = cli({"optimize", "squeezenet", "--device", "sim:v100", "-o", file, "--json"});
    QCOMPARE(optimized.status, 0);
    const QJsonObject found = optimized.json();
    const QJsonArray blocks = found["blocks"].toArray();
    qint64 transitions = 0;
    for (const QJsonValue &block : blocks) {
        transitions += block["transitions"].toInteger();
        QVERIFY(block["lower_bound_us"].toDouble() <= block["latency_us"].toDouble() + 1e-6);
        for (const QJsonValue &other : block["runners_up"].toArray())
            QVERIFY(other["extra_us"].toDouble() >= 0 && !other["groups"].toArray().isEmpty());
    }
    QVERIFY(!blocks.isEmpty());
    QCOMPARE(transitions, found["search"]["transitions"].toInteger());
    QCOMPARE(found["provenance"].toString(), QString("simulated"));
    QVERIFY(found["search"].toObject()["stage_measurements"].toInt() > 0);
    QCOMPARE(found["schedule"].toObject()["format"].toString(), QString("stagecraft-schedule"));
    QVERIFY(found["calibration"].toString().contains("IOS paper"));
    QCOMPARE(found["schedule"].toObject()["calibration"], found["calibration"]);
    const Answer measured = cli({"measure", "squeezenet", "--device", "sim:v100", "--schedule", file, "--json"});
    QCOMPARE(measured.status, 0);
    QCOMPARE(measured.json()["latency_us"].toDouble(), found["latency_us"].toDouble());
    const QJsonArray latencies = measured.json()["stage_latency_us"].toArray();
    QCOMPARE(latencies.size(), found["stages"].toInt());
    // The stages are those of the file, by name.
    const QJsonArray stages = measured.json()["stages"].toArray();
    const QJsonArray made = found["schedule"]["stages"].toArray();
    QCOMPARE(stages.size(), made.size());
    for (qsizetype i = 0; i < stages.size(); ++i) {
        QCOMPARE(stages[i]["groups"].toArray(), made[i]["groups"].toArray());
        QCOMPARE(stages[i]["strategy"].toString(), made[i]["strategy"].toString());
        QCOMPARE(stages[i]["block"].toInt(), made[i]["block"].toInt());
        QCOMPARE(stages[i]["latency_us"].toDouble(), latencies[i].toDouble());
    }
    const Answer table = cli({"measure", "squeezenet", "--device", "sim:v100", "--schedule", file, "--stages"});
    for (const QJsonValue &stage : stages) { // "expand1x1 | expand3x3" at the end of its line
        QStringList groups;
        for (const QJsonValue &group : stage["groups"].toArray())
            groups << group.toVariant().toStringList().join(", ");
        QVERIFY2(table.out.contains(("  " + groups.join(" | ") + '\n').toUtf8()), table.out);
    }
    QVERIFY2(!measured.err.contains("note: "), measured.err);
    const Answer batch =
        cli({"measure", "squeezenet", "--batch", "2", "--device", "sim:v100", "--schedule", file, "--json"});
    QVERIFY2(batch.err.contains("was made for batch 1, the model is open at batch 2"), batch.err);
    // Without --batch it is measured at the batch it was made for, with a message; a different device is also reported.
    const QString eight = folder.filePath("eight.schedule.json");
    QCOMPARE(cli({"optimize", "sample", "--batch", "8", "--device", "sim:v100", "-o", eight}).status, 0);
    const Answer same = cli({"measure", "sample", "--device", "sim:a100", "--schedule", eight, "--json"});
    QCOMPARE(same.json()["batch"].toInt(), 8);
    QCOMPARE(same.json()["made_for"].toObject()["device"].toString(), QString("sim:v100"));
    QVERIFY2(same.err.contains("was made for batch 8, so the model is opened at batch 8"), same.err);
    QVERIFY2(same.err.contains("made for sim:v100, not for sim:a100"), same.err);
    const Answer drawn = cli({"timeline", "sample", "--device", "sim:v100", "--schedule", eight});
    QVERIFY2(drawn.err.contains("opened at batch 8"), drawn.err);
    const Answer other = cli({"measure", "sample", "--device", "sim:v100", "--schedule", file});
    QCOMPARE(other.status, 3);
    QVERIFY(other.err.contains(file.toUtf8()));
}

namespace {

// The published measurements of the sample network (IOS paper), as another script might write them: lines, keys, groups
// and operators in a different order. conv1 followed by conv4 in one group was not measured.
QByteArray publishedSample()
{
    return R"({"model":"sample","precision":"fp32","batch":1,"version":1,"device":"V100","format":"stagecraft-latencies"}
{"latency_us":17.3,"groups":[["concat"]],"strategy":"concurrent"}
{"strategy":"concurrent","latency_us":161.5,"groups":[["conv2"],["conv1"]]}
{"strategy":"concurrent","groups":[["conv4"],["conv3"]],"latency_us":154.5}

{"strategy":"concurrent","groups":[["conv1"]],"latency_us":110.7}
{"strategy":"concurrent","groups":[["conv2"]],"latency_us":126.1}
{"strategy":"concurrent","groups":[["conv3"]],"latency_us":106.0}
{"strategy":"concurrent","groups":[["conv4"]],"latency_us":125.5}
{"strategy":"merge","groups":[["conv3","conv1"]],"latency_us":400}
)";
}

} // namespace

void TestCli::optimize_recordedByAThirdParty_findsItsOptimum()
{
    QTemporaryDir folder;
    write(folder.filePath("v100.latencies.jsonl"), publishedSample());
    const Answer answer = cli(
        {"optimize", "sample", "--device", "rec:v100.latencies.jsonl", "--why", "--json", "-o", "best.schedule.json"},
        folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("note: --why: this device does not say what ran when"), answer.err);
    const QJsonObject found = answer.json();
    QCOMPARE(found["latency_us"].toDouble(), 161.5 + 154.5 + 17.3);
    QCOMPARE(found["provenance"].toString(), QString("recorded"));
    QCOMPARE(found["stages"].toInt(), 3);
    QCOMPARE(found["search"]["termination"].toString(), QString("optimal"));
    QVERIFY(found["search"]["stages_refused"].toInt() > 0);
    QVERIFY2(answer.err.contains("were left out") && answer.err.contains("has no latency of the stage"), answer.err);
    const Answer sequential =
        cli({"measure", "sample", "--device", "rec:v100.latencies.jsonl", "--schedule", "sequential", "--json"},
            folder.path());
    QCOMPARE(sequential.json()["latency_us"].toDouble(), 110.7 + 126.1 + 106.0 + 125.5 + 17.3);
    const Answer again =
        cli({"measure", "sample", "--device", "rec:v100.latencies.jsonl", "--schedule", "best.schedule.json", "--json"},
            folder.path());
    QCOMPARE(again.json()["latency_us"].toDouble(), found["latency_us"].toDouble());
}

void TestCli::optimize_recordingWithoutAStage_saysWhich()
{
    QTemporaryDir folder;
    QByteArray recording = publishedSample();
    recording.replace("concat", "concat_of_another_model");
    write(folder.filePath("v100.latencies.jsonl"), recording);
    for (const QString &command : {QStringLiteral("optimize"), QStringLiteral("compare")}) {
        const Answer answer = cli({command, "sample", "--device", "rec:v100.latencies.jsonl"}, folder.path());
        QCOMPARE(answer.status, 4);
        QVERIFY2(answer.err.contains("concat"), answer.err);
    }
}

void TestCli::measure_recordedClocks_areShown()
{
    QTemporaryDir folder;
    QByteArray recording = publishedSample();
    recording.replace("\"latency_us\":110.7", "\"latency_us\":110.7,\"mean_us\":111.5,\"stddev_us\":2.5,\"runs\":40,"
                                              "\"clock_mhz\":1530,\"memory_clock_mhz\":877");
    write(folder.filePath("v100.latencies.jsonl"), recording);
    const QStringList command{"measure", "sample", "--device", "rec:v100.latencies.jsonl"};
    const Answer answer = cli(command + QStringList{"--json"}, folder.path());
    const QJsonObject measured = answer.json();
    const QJsonArray timings = measured["stage_timings"].toArray();
    QCOMPARE(timings.size(), measured["stage_latency_us"].toArray().size());
    QCOMPARE(timings.first()["mean_us"].toDouble(), 111.5);
    QCOMPARE(timings.first()["stddev_us"].toDouble(), 2.5);
    QCOMPARE(timings.first()["runs"].toInt(), 40);
    QCOMPARE(timings.first()["clock_mhz"].toInt(), 1530);
    QCOMPARE(timings.first()["memory_clock_mhz"].toInt(), 877);
    QVERIFY(timings.last()["clock_mhz"].isNull() && timings.last()["runs"].isNull());
    QVERIFY(measured["timing"].isObject() && measured["timing"]["runs"].isNull()); // a sum was never timed
    const Answer text = cli(command + QStringList{"--stages"}, folder.path());
    QVERIFY2(text.out.contains("1530 MHz, memory 877 MHz") && text.out.contains("unknown"), text.out);
    const Answer simulated = cli({"measure", "sample", "--device", "sim:v100", "--stages"});
    QVERIFY2(simulated.status == 0 && !simulated.out.contains("clock during timing"), simulated.out);
    QVERIFY2(!simulated.out.left(simulated.out.indexOf('\n')).contains("clock"), simulated.out);
}

void TestCli::info_countWithLimit_saysThereIsMore()
{
    const Answer answer = cli({"info", "randwire", "--count", "--max-seconds", "0.01", "--json"});
    QCOMPARE(answer.status, 0);
    const QJsonArray blocks = answer.json()["blocks"].toArray();
    const auto isMore = [](const QJsonValue &block) { return block["complete"] == QJsonValue(false); };
    QVERIFY(std::ranges::any_of(blocks, isMore));
    QVERIFY(!std::ranges::all_of(blocks, isMore));
    const Answer text = cli({"info", "randwire", "--count", "--max-seconds", "0.01"});
    QVERIFY2(text.out.contains("more than "), text.out);
}

void TestCli::compare_inceptionV3_iosBeatsSequential()
{
    const Answer answer = cli({"compare", "inception_v3", "--device", "sim:v100", "--json"});
    QCOMPARE(answer.status, 0);
    QVERIFY(answer.json()["calibration"].toString().contains("IOS paper"));
    const QJsonObject schedules = answer.json()["schedules"].toObject();
    QCOMPARE(schedules.size(), qsizetype{5});
    const auto latency = [&](const char *name) { return schedules[name].toObject()["latency_us"].toDouble(); };
    QVERIFY(latency("ios-both") < latency("sequential"));
    QVERIFY(latency("ios-both") <= latency("greedy"));
    QVERIFY(latency("ios-both") <= latency("ios-parallel"));
    QVERIFY(latency("ios-both") <= latency("ios-merge"));
}

void TestCli::convert_thenInfo_keepsUnitsAndBlocks()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("squeezenet.onnx");
    QCOMPARE(cli({"convert", "squeezenet", "-o", file}).status, 0);
    const QJsonObject own = cli({"info", "squeezenet", "--json"}).json();
    const Answer read = cli({"info", file, "--json"});
    QCOMPARE(read.status, 0);
    QCOMPARE(read.json()["operators"], own["operators"]);
    QCOMPARE(read.json()["types"], own["types"]);
    QCOMPARE(read.json()["blocks"], own["blocks"]);
}

void TestCli::refusals_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("nothing") << QStringList{} << 2 << QByteArray("a command is missing");
    QTest::newRow("unknown command") << QStringList{"improve"} << 2 << QByteArray("improve");
    QTest::newRow("unknown model") << QStringList{"info", "resnet51"} << 2 << QByteArray("resnet51");
    QTest::newRow("missing file") << QStringList{"info", "missing.onnx"} << 3 << QByteArray("missing.onnx");
    QTest::newRow("folder") << QStringList{"info", "folder.onnx"} << 3 << QByteArray("folder.onnx");
    QTest::newRow("empty file") << QStringList{"info", "empty.onnx"} << 3 << QByteArray("empty.onnx");
    QTest::newRow("not ONNX") << QStringList{"info", "text.onnx"} << 3 << QByteArray("text.onnx");
    QTest::newRow("not IOS JSON") << QStringList{"info", "text.json"} << 3 << QByteArray("text.json");
    QTest::newRow("unknown device") << QStringList{"compare", "sample", "--device", "sim:v999"} << 2
                                    << QByteArray("v100");
    QTest::newRow("device of no kind") << QStringList{"compare", "sample", "--device", "tpu"} << 2 << QByteArray("tpu");
    QTest::newRow("r = 0") << QStringList{"optimize", "sample", "--r", "0"} << 2 << QByteArray("--r: 0 is not");
    QTest::newRow("s = -1") << QStringList{"optimize", "sample", "--s", "-1"} << 2 << QByteArray("--s: -1 is not");
    QTest::newRow("no seconds") << QStringList{"optimize", "sample", "--max-seconds", "0"} << 2
                                << QByteArray("--max-seconds: 0 is not a number above 0");
    QTest::newRow("seconds to count that are no number")
        << QStringList{"info", "sample", "--count", "--max-seconds", "nan"} << 2 << QByteArray("not a number");
    QTest::newRow("seconds in words") << QStringList{"optimize", "sample", "--max-seconds", "ten"} << 2
                                      << QByteArray("ten is not a number above 0");
    QTest::newRow("epsilon 2") << QStringList{"optimize", "sample", "--epsilon", "2"} << 2
                               << QByteArray("--epsilon: 2 is not a number from 0 to 1");
    QTest::newRow("batch 0") << QStringList{"info", "sample", "--batch", "0"} << 2 << QByteArray("--batch");
    QTest::newRow("strategy") << QStringList{"optimize", "sample", "--strategy", "wild"} << 2 << QByteArray("wild");
    QTest::newRow("schedule is no JSON") << QStringList{"measure", "sample", "--schedule", "text.json"} << 3
                                         << QByteArray("text.json");
    QTest::newRow("schedule is missing") << QStringList{"measure", "sample", "--schedule", "none.json"} << 3
                                         << QByteArray("none.json");
    QTest::newRow("output folder is missing")
        << QStringList{"convert", "sample", "-o", "none/sample.onnx"} << 3 << QByteArray("none/sample.onnx");
}

void TestCli::refusals()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("folder.onnx"));
    write(folder.filePath("empty.onnx"), {});
    write(folder.filePath("text.onnx"), "This is not a model.\n");
    write(folder.filePath("text.json"), "This is not JSON.\n");
    const Answer answer = cli(arguments, folder.path());
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err.constData());
    QVERIFY2(answer.out.isEmpty() || status == 2, answer.out.constData());
}

void TestCli::studies_text_sayProvenanceInEveryRow_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("sweep") << QStringList{"sweep", "sample", "--r", "1,2", "--s", "3"};
    QTest::newRow("sizes") << QStringList{"sweep", "moe", "--over", "tokens=8..16", "-d", "sim:h100"};
    QTest::newRow("specialize") << QStringList{"specialize", "sample", "--devices", "sim:k80,sim:v100"};
}

void TestCli::studies_text_sayProvenanceInEveryRow()
{
    QFETCH(const QStringList, arguments);
    const Answer answer = cli(arguments);
    QVERIFY2(answer.status == 0 && answer.out.contains("provenance"), answer.out + answer.err);
    QVERIFY2(answer.out.count("  simulated") == 2, answer.out);
}

void TestCli::specialize_batchesAndDevices_runsEveryCombination()
{
    const QStringList both{"specialize", "sample", "--batch", "1,32,1", "--devices", "sim:k80,sim:v100", "--json"};
    const QJsonArray rows = cli(both).json()["rows"].toArray();
    QStringList labels;
    for (const QJsonValue &row : rows) {
        labels << row["run_on"].toString();
        QCOMPARE(row["latency_us"].toObject().size(), 4);
    }
    QCOMPARE(labels, (QStringList{"sim:k80, batch 1", "sim:k80, batch 32", "sim:v100, batch 1", "sim:v100, batch 32"}));
    const QJsonArray batches =
        cli({"specialize", "sample", "--batch", "1,32", "-d", "sim:v100", "--json"}).json()["rows"].toArray();
    QCOMPARE(rows[3]["latency_us"]["sim:v100, batch 1"], batches[1]["latency_us"]["batch 1"]);
}

void TestCli::help_ofEveryCommand_isThere_data()
{
    QTest::addColumn<QString>("command");
    for (const char *command : {"models", "devices", "info", "optimize", "measure", "edit", "compare", "sweep",
                                "specialize", "reproduce", "convert", "run", "latencies"})
        QTest::newRow(command) << command;
}

void TestCli::help_ofEveryCommand_isThere()
{
    QFETCH(const QString, command);
    const Answer answer = cli({command, "--help"});
    QCOMPARE(answer.status, 0);
    QVERIFY(answer.out.contains("Usage"));
    QVERIFY(answer.out.contains("--help"));
}

STAGECRAFT_SUITE(TestCli)

} // namespace tst_cli
#include "tst_cli.moc"
