// A worker's answers reach the program as its device gave them.

#include "faulty_device.h"

#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_worker {

class TestWorker : public QObject {
    Q_OBJECT

private slots:
    void info_ofAWorker_comesThrough();
    void info_missingProgram_isUnavailableWithReason();
    void info_unknownDevice_isUnavailableWithReason();
    void measureStage_fineStage_comesThroughExactly();
    void measureStage_refusedStage_keepsErrorAndWorker();
    void measureStage_printingLibrary_doesNotDisturb();
    void timeline_fromAWorker_comesThrough();
    void measureStage_afterATimeline_isDoneByAnotherWorker();
    void run_tensors_comeThrough();
    void workspace_ofAStage_comesThrough();
};

void TestWorker::info_ofAWorker_comesThrough()
{
    const DeviceInfo info = makeWorkerDevice("faulty", faulty())->info();
    QVERIFY(info.available);
    QCOMPARE(info.id, std::string("faulty"));
    QCOMPARE(info.fingerprint, std::string("f"));
    QVERIFY(info.facts == (std::vector<std::pair<std::string, std::string>>{{"a", "b"}}));
}

void TestWorker::info_missingProgram_isUnavailableWithReason()
{
    WorkerOptions options;
    options.command = {"/nowhere/stagecraft-worker"};
    const auto device = makeWorkerDevice("cpu", options);
    QVERIFY(!device->info().available);
    QVERIFY(device->info().unavailableReason.find("/nowhere/stagecraft-worker") != std::string::npos);
    const auto session = device->open(behaviours());
    QVERIFY(!session && session.error().code == ErrorCode::DeviceFailed);
}

void TestWorker::info_unknownDevice_isUnavailableWithReason()
{
    const auto device = makeWorkerDevice("gpu:7", faulty());
    QVERIFY(!device->info().available);
    QVERIFY(device->info().unavailableReason.find("gpu:7") != std::string::npos);
}

void TestWorker::measureStage_fineStage_comesThroughExactly()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const auto sample = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(sample && sample->timing.meanUs == 1.5 && sample->timing.latencyUs == 1.25 &&
            sample->timing.stddevUs == 0.5);
    QVERIFY(sample->timing.clocks == (ClockRates{1980, 2619, "power limit"}));
    QCOMPARE(session->boundaryCost().barrierUs, 3.0);
    QCOMPARE(session->boundaryCost().chainUs, 4.0);
    TimedSchedule schedule;
    schedule.stages = {stageOf(*graph, "fine"), stageOf(*graph, "fine")};
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement && measurement->whole.timing.meanUs == 2 && measurement->stages.size() == 2);
    QVERIFY(!measurement->whole.timing.clocks.isKnown()); // the device did not report them
}

void TestWorker::measureStage_refusedStage_keepsErrorAndWorker()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    const auto sample = session->stageLatency(stageOf(*graph, "refuse"), {});
    QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(sample.error().context.front(), std::string("operator refuse"));
    QCOMPARE(sample.error().remedy, std::string("use another"));
    QCOMPARE(session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs, worker);
}

void TestWorker::measureStage_printingLibrary_doesNotDisturb()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    QVERIFY(session->stageLatency(stageOf(*graph, "print"), {}));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

void TestWorker::timeline_fromAWorker_comesThrough()
{
    const auto graph = behaviours();
    const auto timeline = openFaulty(graph)->timeline({.stages = {stageOf(*graph, "fine")}}, {});
    QVERIFY(timeline && timeline->durationNs == 77 && timeline->streams == 3);
    QVERIFY(timeline->provenance == Provenance::Measured);
    const KernelSpan &kernel = timeline->kernels.front();
    QVERIFY(kernel.operators == std::vector<OperatorId>{OperatorId{1}});
    QVERIFY((kernel.grid == std::array<std::int64_t, 3>{4, 5, 6}));
    QVERIFY(kernel.group == 1 && kernel.stream == 2 && kernel.endNs == 60 && kernel.bytes == 11);
    QCOMPARE(timeline->counter("active threads")->values.back(), 2.0);
    QVERIFY(timeline->notes == std::vector<std::string>{"a right is missing"});
}

void TestWorker::measureStage_afterATimeline_isDoneByAnotherWorker()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const Stage stage = stageOf(*graph, "fine");
    const int before = take(session->stageLatency(stage, {})).timing.runs; // the id of the worker's process
    QVERIFY(session->timeline({.stages = {stage}}, {}));
    QVERIFY(session->timeline({.stages = {stage}}, {})); // a profiled worker still traces
    const int after = take(session->stageLatency(stage, {})).timing.runs;
    QVERIFY(before != after);
    QCOMPARE(take(session->stageLatency(stage, {})).timing.runs, after);
}

void TestWorker::run_tensors_comeThrough()
{
    const auto graph = behaviours();
    const HostTensor tensor{"t", Shape{{2, 3}}, {1, 2, 3, 4, 5, 6.5F}};
    const HostTensor none{"n", Shape{{0, 3}}, {}};
    const auto outputs = runOn(*openFaulty(graph), {}, {tensor, none}, {});
    QVERIFY(outputs && outputs->size() == 2);
    QVERIFY(outputs->front().shape == tensor.shape && outputs->front().values == tensor.values);
    QVERIFY(outputs->back().shape == none.shape && outputs->back().values.empty());
}

void TestWorker::workspace_ofAStage_comesThrough()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    QVERIFY(session->chainsAddUp());
    QVERIFY(session->workspace());
    const auto bytes = session->workspace()->workspaceBytes(stageOf(*graph, "fine"), {});
    QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
    QCOMPARE(*bytes, std::vector<std::size_t>{std::size_t{5} << 30U});
    const auto refused = session->workspace()->workspaceBytes(stageOf(*graph, "refuse"), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().context.back(), std::string("stage {refuse}"));
}

STAGECRAFT_SUITE(TestWorker)

} // namespace tst_worker
#include "tst_worker.moc"
