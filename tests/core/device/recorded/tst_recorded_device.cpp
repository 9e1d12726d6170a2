#include "device/recorded/recorded_device.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace stagecraft;

namespace tst_recorded_device {

namespace {

constexpr auto kHeader =
    R"({"format":"stagecraft-latencies","version":1,"device":"V100","batch":1,"precision":"fp32","model":"four"})"
    "\n";

// x -> a, b, c, d: four activations that read the input.
std::shared_ptr<const Graph> fourOperators()
{
    GraphBuilder builder("four");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    for (const char *name : {"a", "b", "c", "d"}) {
        Operator op;
        op.name = name;
        op.type = "Relu";
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{ActivationKind::Relu};
        op.inputs = {{x}};
        if (!builder.add(std::move(op)))
            qFatal("the test graph does not build");
    }
    return std::make_shared<Graph>(builder.build().value());
}

OperatorId id(std::uint32_t value)
{
    return OperatorId{value};
}

std::unique_ptr<DeviceSession> sessionOn(const std::string &stages)
{
    auto latencies = recordedLatenciesFromText(kHeader + stages);
    if (!latencies)
        qFatal("%s", latencies.error().message.c_str());
    return makeRecordedDevice("rec:test", std::move(*latencies))->open(fourOperators()).value();
}

QString context(const Error &error)
{
    QStringList links;
    for (const std::string &link : error.context)
        links << QString::fromStdString(link);
    return links.join(", ");
}

} // namespace

class TestRecordedDevice : public QObject {
    Q_OBJECT

private slots:
    void measureStage_anyOrder_findsTheRecord_data();
    void measureStage_anyOrder_findsTheRecord();
    void measureStage_missingStage_isRefusedByName();
    void measureStage_stopRequested_isCancelled();
    void measureSchedule_recordedStages_addsUp();
    void measureSchedule_recordedWhole_isThatOne();
    void timeline_recordedStages_hasTheirSpans();
    void run_recordedDevice_isWrongUse();
    void fromText_ofAKit_hasBoundariesAndRefusals();
    void fromText_ofAKit_lastLineMayBeCutOff();
    void open_otherBatchOrModel_isRefused();
    void fromText_brokenFile_isRefusedWithLine_data();
    void fromText_brokenFile_isRefusedWithLine();
    void toText_roundTrip_keepsEveryDigit();
    void fromText_clocks_areKnownWhereTheFileSaysThem_data();
    void fromText_clocks_areKnownWhereTheFileSaysThem();
    void openRecordedDevice_missingFile_isRefused();
    void openRecordedDevice_file_replaysIt();
};

void TestRecordedDevice::measureStage_anyOrder_findsTheRecord_data()
{
    QTest::addColumn<QString>("record");
    QTest::newRow("as written") << R"({"strategy":"concurrent","groups":[["a","b"],["c"]],"latency_us":0.1})";
    QTest::newRow("groups turned") << R"({"strategy":"concurrent","groups":[["c"],["a","b"]],"latency_us":0.1})";
    QTest::newRow("operators turned") << R"({"strategy":"concurrent","groups":[["b","a"],["c"]],"latency_us":0.1})";
    QTest::newRow("keys turned") << R"({"latency_us":1e-1,"groups":[["b","a"],["c"]],"strategy":"concurrent"})";
}

void TestRecordedDevice::measureStage_anyOrder_findsTheRecord()
{
    QFETCH(QString, record);
    const auto session = sessionOn(record.toStdString());
    const auto sample = session->stageLatency(Stage{0, Strategy::Concurrent, {{id(0), id(1)}, {id(2)}}}, {});
    QVERIFY(sample);
    QCOMPARE(sample->timing.latencyUs, 0.1);
    QCOMPARE(session->stageLatency(Stage{0, Strategy::Concurrent, {{id(0), id(1)}, {id(2)}}}, {})->timing.latencyUs,
             0.1);
}

void TestRecordedDevice::measureStage_missingStage_isRefusedByName()
{
    const auto session = sessionOn(R"({"strategy":"concurrent","groups":[["a"],["b"]],"latency_us":5})"
                                   "\n"
                                   R"({"strategy":"concurrent","groups":[["a","b"]],"latency_us":6})");
    for (const Stage &stage :
         {Stage{0, Strategy::Merge, {{id(0)}, {id(1)}}}, Stage{0, Strategy::Concurrent, {{id(0)}, {id(1)}, {id(2)}}},
          Stage{0, Strategy::Concurrent, {{id(1)}}}}) {
        const auto sample = session->stageLatency(stage, {});
        QVERIFY(!sample);
        QVERIFY(sample.error().code == ErrorCode::DeviceFailed);
        QVERIFY2(sample.error().message.find('b') != std::string::npos, sample.error().message.c_str());
    }
    const auto merged = session->stageLatency(Stage{0, Strategy::Merge, {{id(0)}, {id(1)}}}, {});
    QVERIFY(merged.error().message.ends_with("{a + b} merged"));
}

void TestRecordedDevice::measureStage_stopRequested_isCancelled()
{
    const auto session = sessionOn(R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})");
    std::stop_source stop;
    stop.request_stop();
    const auto sample = session->stageLatency(Stage{0, Strategy::Concurrent, {{id(0)}}}, stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
}

void TestRecordedDevice::measureSchedule_recordedStages_addsUp()
{
    const auto session = sessionOn(R"({"strategy":"concurrent","groups":[["a"],["b"]],"latency_us":5})"
                                   "\n"
                                   R"({"strategy":"concurrent","groups":[["c","d"]],"latency_us":7.25})");
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}, {id(1)}}}, {0, Strategy::Concurrent, {{id(2), id(3)}}}};
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement);
    QCOMPARE(measurement->whole.timing.latencyUs, 12.25);
    QVERIFY(measurement->whole.how == MeasuredHow::SumOfStages);
    QCOMPARE(measurement->stages.size(), std::size_t{2});
    QCOMPARE(measurement->stages[1].timing.meanUs, 7.25);
    schedule.stages[1].groups = {{id(2)}};
    QVERIFY(!session->measureSchedule(schedule, {}));
}

// As the device showed it; not the sum of its stages.
void TestRecordedDevice::measureSchedule_recordedWhole_isThatOne()
{
    const std::string header =
        R"({"format":"stagecraft-latencies","version":1,"device":"V100","batch":1,"precision":"fp32","model":"four",)"
        R"("schedules":[{"stages":[{"strategy":"concurrent","groups":[["b"],["a"]]},{"strategy":"concurrent",)"
        R"("groups":[["c"]]}],"latency_us":20.5,"mean_us":21,"stddev_us":0.5,"runs":40}]})"
        "\n";
    auto latencies =
        recordedLatenciesFromText(header + R"({"strategy":"concurrent","groups":[["a"],["b"]],"latency_us":5})"
                                           "\n"
                                           R"({"strategy":"concurrent","groups":[["c"]],"latency_us":7})");
    QVERIFY2(latencies, latencies ? "" : latencies.error().message.c_str());
    QCOMPARE(toText(*recordedLatenciesFromText(toText(*latencies))), toText(*latencies));
    const auto session = makeRecordedDevice("rec:test", std::move(*latencies))->open(fourOperators()).value();
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}, {id(1)}}}, {0, Strategy::Concurrent, {{id(2)}}}};
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement && measurement->whole.how != MeasuredHow::SumOfStages);
    QCOMPARE(measurement->whole.timing.latencyUs, 20.5);
    QCOMPARE(measurement->whole.timing.runs, 40);
    QCOMPARE(measurement->stages[0].timing.latencyUs + measurement->stages[1].timing.latencyUs, 12.0);
    QCOMPARE(session->measureWhole(schedule, {})->timing.latencyUs, 20.5);
    std::swap(schedule.stages[0], schedule.stages[1]); // another schedule
    QVERIFY(session->measureWhole(schedule, {})->how == MeasuredHow::SumOfStages);
}

void TestRecordedDevice::timeline_recordedStages_hasTheirSpans()
{
    const auto session = sessionOn(R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})"
                                   "\n"
                                   R"({"strategy":"concurrent","groups":[["b"]],"latency_us":7.25})");
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}}}, {0, Strategy::Concurrent, {{id(1)}}}};
    const auto timeline = session->timeline(schedule, {});
    QVERIFY(timeline && timeline->provenance == Provenance::Recorded);
    QCOMPARE(timeline->stages.size(), std::size_t{2});
    QCOMPARE(timeline->stages[1].startNs, 5000);
    QCOMPARE(timeline->durationNs, 12250);
    QVERIFY(timeline->kernels.empty());
}

void TestRecordedDevice::run_recordedDevice_isWrongUse()
{
    const auto session = sessionOn(R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})");
    const auto outputs = runOn(*session, {}, {}, {});
    QVERIFY(!outputs && outputs.error().code == ErrorCode::WrongUse);
}

void TestRecordedDevice::fromText_ofAKit_hasBoundariesAndRefusals()
{
    const std::string text =
        QString(kHeader)
            .replace("}\n", R"(,"kit":{"model_sha256":"ab","round":2,"barrier_us":3,"chain_us":0.5,)"
                            R"("chains_add_up":true}})"
                            "\n")
            .toStdString() +
        R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})"
        "\n"
        R"({"strategy":"concurrent","groups":[["b"],["c"]],"latency_us":7})"
        "\n"
        R"({"strategy":"concurrent","groups":[["d"]],"refused":"no kernel"})"
        "\n";
    const auto read = recordedLatenciesFromText(text);
    QVERIFY(read && read->kit && read->refused.size() == 1 && read->stages.size() == 2 && read->cutLine == 0);
    QCOMPARE(read->refused[0].stage.line, std::size_t{4});
    const auto again = recordedLatenciesFromText(toText(*read));
    QVERIFY(again && toText(*again) == toText(*read));
    QVERIFY(again->kit->modelHash == "ab" && again->kit->round == 2 && again->kit->chainsAddUp);
    const auto session = makeRecordedDevice("rec:test", *again)->open(fourOperators()).value();
    QCOMPARE(session->boundaryCost().barrierUs, 3.0);
    Schedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}}}, {0, Strategy::Concurrent, {{id(1)}, {id(2)}}}};
    const auto measured = session->measureSchedule(schedule, {});
    QVERIFY(measured && measured->boundariesUs == 3 && measured->whole.timing.latencyUs == 15);
    const auto refused = session->stageLatency(Stage{0, Strategy::Concurrent, {{id(3)}}}, {});
    QVERIFY(!refused && refused.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(QString::fromStdString(refused.error().message),
             QString("the device of rec:test refused the stage {d}: no kernel"));
    // Elsewhere such a line is none.
    QVERIFY(!recordedLatenciesFromText(kHeader +
                                       std::string(R"({"strategy":"concurrent","groups":[["d"]],"refused":"x"})")));
}

void TestRecordedDevice::fromText_ofAKit_lastLineMayBeCutOff()
{
    const std::string header = QString(kHeader)
                                   .replace("}\n", R"(,"kit":{"round":1,"barrier_us":0,"chain_us":0}})"
                                                   "\n")
                                   .toStdString();
    const std::string stage = R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})"
                              "\n";
    const auto cut = recordedLatenciesFromText(header + stage + stage.substr(0, 30));
    QVERIFY(cut && cut->stages.size() == 1 && cut->cutLine == 3);
    const auto inside = recordedLatenciesFromText(header + stage.substr(0, 30) + "\n" + stage);
    QVERIFY(!inside && QString::fromStdString(inside.error().message) == "the line is not JSON");
    QVERIFY(!recordedLatenciesFromText(header.substr(0, 60))); // nothing is known without a header
}

void TestRecordedDevice::open_otherBatchOrModel_isRefused()
{
    RecordedLatencies latencies{"V100", 32, "fp32", "four", {}, {}, {{Strategy::Concurrent, {{"a"}}, 5}}};
    auto otherBatch = makeRecordedDevice("rec:test", latencies)->open(fourOperators());
    QVERIFY(!otherBatch && otherBatch.error().message.find("batch 32") != std::string::npos);
    latencies.batch = 1;
    latencies.stages[0].groups = {{"elsewhere"}};
    auto otherModel = makeRecordedDevice("rec:test", latencies)->open(fourOperators());
    QVERIFY(!otherModel && otherModel.error().message.find("none of its operators") != std::string::npos);
}

void TestRecordedDevice::fromText_brokenFile_isRefusedWithLine_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("message");
    const QString header = kHeader;
    const QString stage = R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5})"
                          "\n";
    const auto changed = [](QString text, const char *from, const char *to) { return text.replace(from, to); };
    QTest::newRow("empty") << QString() << ""
                           << "empty";
    QTest::newRow("not JSON") << header + stage + "{\"strat"
                              << "line 3"
                              << "not JSON";
    QTest::newRow("no object") << header + "[1]"
                               << "line 2"
                               << "not a JSON object";
    QTest::newRow("no header") << stage << "line 1"
                               << "stagecraft-latencies";
    QTest::newRow("version") << changed(header, "\"version\":1", "\"version\":2") << "line 1"
                             << "version 2";
    QTest::newRow("no version") << changed(header, "\"version\":1,", "") << "line 1"
                                << "version";
    QTest::newRow("batch") << changed(header, "\"batch\":1", "\"batch\":0") << "line 1"
                           << "batch";
    QTest::newRow("no device") << changed(header, "\"device\":\"V100\",", "") << "line 1"
                               << "\"device\"";
    QTest::newRow("strategy") << header + changed(stage, "concurrent", "both") << "line 2"
                              << "strategy";
    QTest::newRow("no groups") << header + changed(stage, "[[\"a\"]]", "[]") << "line 2"
                               << "no groups";
    QTest::newRow("empty group") << header + changed(stage, "[[\"a\"]]", "[[]]") << "line 2"
                                 << "no operators";
    QTest::newRow("number as name") << header + changed(stage, "\"a\"", "1") << "line 2"
                                    << "not a name";
    QTest::newRow("operator twice") << header + changed(stage, "\"a\"", "\"a\",\"a\"") << "line 2"
                                    << "twice";
    QTest::newRow("no latency") << header + changed(stage, "latency_us", "latency") << "line 2"
                                << "latency_us";
    QTest::newRow("zero") << header + changed(stage, "5", "0") << "line 2"
                          << "positive";
    QTest::newRow("negative") << header + changed(stage, "5", "-5") << "line 2"
                              << "positive";
    QTest::newRow("text") << header + changed(stage, "5", "\"5\"") << "line 2"
                          << "positive";
    QTest::newRow("negative mean") << header + changed(stage, "5", "5,\"mean_us\":-1") << "line 2"
                                   << "the stage's \"mean_us\" is negative";
    QTest::newRow("negative runs") << header + changed(stage, "5", "5,\"runs\":-1") << "line 2"
                                   << "the stage's \"runs\" is -1";
    QTest::newRow("spread in words") << header + changed(stage, "5", "5,\"stddev_us\":\"wide\"") << "line 2"
                                     << "the stage's \"stddev_us\" is not a number";
    const auto withSchedules = [&](const char *list) {
        return changed(header, "\"model\":\"four\"", qPrintable(QString(R"("model":"four","schedules":)") + list));
    };
    const char *one = R"({"stages":[{"strategy":"concurrent","groups":[["a"]]}],"latency_us":5})";
    QTest::newRow("schedules are no list") << withSchedules("5") + stage << "line 1"
                                           << "not a list";
    QTest::newRow("schedule without stages") << withSchedules(R"([{"latency_us":5}])") + stage << "line 1, schedule 1"
                                             << "no stages";
    QTest::newRow("schedule of no latency")
        << withSchedules(qPrintable(QString("[%1]").arg(one).replace("5", "-5"))) + stage << "line 1, schedule 1"
        << "schedule's latency_us";
    QTest::newRow("operator twice in a schedule")
        << withSchedules(R"([{"stages":[{"strategy":"concurrent","groups":[["a"]]},{"strategy":"concurrent",)"
                         R"("groups":[["a"]]}],"latency_us":5}])") +
               stage
        << "line 1, schedule 1"
        << "twice";
    QTest::newRow("schedule of two latencies")
        << withSchedules(qPrintable(QString("[%1,%2]").arg(one, QString(one).replace("5", "6")))) + stage
        << "line 1, schedule 2"
        << "another latency";
    QTest::newRow("infinite") << header + changed(stage, "5", "1e999") << "line 2"
                              << "not JSON";
    QTest::newRow("two answers") << header + stage + "\n" + changed(stage, "5", "6") << "line 4"
                                 << "on line 2";
}

void TestRecordedDevice::fromText_brokenFile_isRefusedWithLine()
{
    QFETCH(QString, text);
    QFETCH(QString, place);
    QFETCH(QString, message);
    const auto latencies = recordedLatenciesFromText(text.toStdString());
    QVERIFY(!latencies);
    QVERIFY(latencies.error().code == ErrorCode::InvalidInput);
    QCOMPARE(context(latencies.error()), place);
    QVERIFY2(QString::fromStdString(latencies.error().message).contains(message), latencies.error().message.c_str());
}

void TestRecordedDevice::toText_roundTrip_keepsEveryDigit()
{
    RecordedLatencies latencies{"V100 \"x\"", 32, "fp32", "four", {}, {}, {}};
    for (const double latencyUs : {0.1, 1.0 / 3, 110.70000000000002, 5e-300, 123456789.12345678})
        latencies.stages.push_back(
            {Strategy::Concurrent, {{"a" + std::to_string(latencyUs)}, {"b", "c"}}, Timing::ofLatency(latencyUs)});
    latencies.stages.push_back({Strategy::Merge, {{"a"}, {"b"}}, {7.5, 7.75, 0.25, 90, {1980, 2619, "power limit"}}});
    const auto read = recordedLatenciesFromText(toText(latencies));
    QVERIFY(read);
    QCOMPARE(read->device, latencies.device);
    QCOMPARE(read->batch, 32);
    QCOMPARE(read->stages.size(), latencies.stages.size());
    for (std::size_t i = 0; i < read->stages.size(); ++i) {
        QVERIFY(read->stages[i].timing == latencies.stages[i].timing);
        QVERIFY(read->stages[i].groups == latencies.stages[i].groups);
        QVERIFY(read->stages[i].strategy == latencies.stages[i].strategy);
    }
}

void TestRecordedDevice::fromText_clocks_areKnownWhereTheFileSaysThem_data()
{
    QTest::addColumn<QString>("members");
    QTest::addColumn<int>("core");
    QTest::addColumn<int>("memory");
    QTest::newRow("as exported before clocks were kept") << "" << 0 << 0;
    QTest::newRow("both") << R"(,"clock_mhz":1980,"memory_clock_mhz":2619)" << 1980 << 2619;
    QTest::newRow("one") << R"(,"clock_mhz":3100)" << 3100 << 0;
    QTest::newRow("null") << R"(,"clock_mhz":null)" << 0 << 0;
    QTest::newRow("no clock") << R"(,"clock_mhz":-5,"memory_clock_mhz":1e300)" << 0 << 0;
    QTest::newRow("too large") << R"(,"clock_mhz":18446744073709551615)" << 0 << 0;
}

void TestRecordedDevice::fromText_clocks_areKnownWhereTheFileSaysThem()
{
    QFETCH(const QString, members);
    QFETCH(const int, core);
    QFETCH(const int, memory);
    const auto session =
        sessionOn(R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5)" + members.toStdString() + "}");
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}}}};
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement && measurement->stages.front().timing.clocks == (ClockRates{core, memory}));
    QVERIFY(!measurement->whole.timing.clocks.isKnown()); // a sum of stages, never timed
}

void TestRecordedDevice::openRecordedDevice_missingFile_isRefused()
{
    QTemporaryDir folder;
    const auto device = openRecordedDevice(folder.filePath("none.latencies.jsonl").toStdString());
    QVERIFY(!device && device.error().message == "there is no such file");
    const auto inFolder = openRecordedDevice(folder.path().toStdString());
    QVERIFY(!inFolder && inFolder.error().message == "this is a folder, not a file");
}

void TestRecordedDevice::openRecordedDevice_file_replaysIt()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("four.latencies.jsonl").toStdString();
    std::ofstream(path) << kHeader << R"({"strategy":"merge","groups":[["d"],["a"]],"latency_us":2.5})";
    const auto device = openRecordedDevice(path);
    QVERIFY(device);
    QCOMPARE((*device)->info().id, "rec:" + path);
    QVERIFY((*device)->info().provenance == Provenance::Recorded);
    const auto session = (*device)->open(fourOperators());
    QVERIFY(session);
    QCOMPARE((*session)->stageLatency(Stage{0, Strategy::Merge, {{id(0)}, {id(3)}}}, {})->timing.latencyUs, 2.5);
}

STAGECRAFT_SUITE(TestRecordedDevice)

} // namespace tst_recorded_device
#include "tst_recorded_device.moc"
