// The GPU device passes the tests of every executing device: each operator, every kind of schedule and random graphs
// have correct outputs, in every precision, mode and layout; measurements and timelines are complete. Skips, with the
// device's own reason, without a GPU. STAGECRAFT_GPU selects another GPU than 0. STAGECRAFT_CONFORMANCE=fp32 leaves out
// the rows of other precisions, =rest has only those. Lines with "cost: " are for tests/gpu/device_report.py.

#include "core/device/device_conformance.h"
#include "gpu/device/clocks.h"
#include "gpu/device/stopwatch.h"
#include "gpu/session/gpu_device.h"
#include "schedule/verify.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <random>
#include <set>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_gpu_conformance {

namespace {

QByteArray gpuId(const char *options = "")
{
    return "gpu:" + qEnvironmentVariable("STAGECRAFT_GPU", "0").toUtf8() + options;
}

std::unique_ptr<DeviceSession> opened(const QByteArray &id, const std::shared_ptr<const Graph> &graph)
{
    return take(take(gpu::makeGpuDevice(id.toStdString()))->open(graph));
}

// 1e-4 for fp32, 1e-2 for the others.
double boundOf(const QByteArray &id)
{
    return id.contains("tf32") || id.contains("fp16") ? 1e-2 : 1e-4;
}

void compareWithReference(DeviceSession &session, const QByteArray &id, const Graph &graph, const Schedule &schedule)
{
    const auto inputs = randomInputs(graph, 1);
    const auto reference = referenceTensors(graph, inputs);
    const auto outputs = runOn(session, schedule, inputs, {});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE(outputs->size(), graph.outputs().size());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        // Memory is filled with NaN before each run, so that missing writes show.
        for (const float value : (*outputs)[i].values)
            QVERIFY2(std::isfinite(value), qPrintable(QString("%1 has holes").arg((*outputs)[i].name.c_str())));
        const double difference = relativeDifference((*outputs)[i].values, reference[graph.outputs()[i].index()]);
        QVERIFY2(difference < boundOf(id),
                 qPrintable(QString("%1 differs by %2").arg((*outputs)[i].name.c_str()).arg(difference)));
    }
}

using MakeGraph = std::function<std::shared_ptr<const Graph>()>;
using Promise = std::function<void(const DeviceUnderTest &)>;

// The modes of a test that are wanted in this run.
std::vector<const char *> wanted(std::initializer_list<const char *> modes)
{
    const QByteArray part = qgetenv("STAGECRAFT_CONFORMANCE");
    std::vector<const char *> chosen;
    for (const char *mode : modes) {
        const bool isOther = QByteArray(mode).contains("tf32") || QByteArray(mode).contains("fp16");
        if (part.isEmpty() || isOther == (part == "rest"))
            chosen.push_back(mode);
    }
    return chosen;
}

} // namespace

class TestGpuConformance : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everyPromise_ofDevices_isKept_data();
    void everyPromise_ofDevices_isKept();
    void run_eachOperator_equalsTheReference_data();
    void run_eachOperator_equalsTheReference();
    void run_everySchedule_equalsTheReference_data();
    void run_everySchedule_equalsTheReference();
    void run_randomGraphs_equalTheReference();
    void run_twice_givesTheSame();
    void run_wrongInputs_areRefused();
    void measureStage_unknownOperator_isRefusedByName();
    void measureSchedule_graphAndStreams_areCounted_data();
    void measureSchedule_graphAndStreams_areCounted();
    void measureStage_clocksThatCanBeRead_areRecorded();
    void clocks_reading_isCheap();
    void stopwatch_fewRepeatsAndMany_agree_data();
    void stopwatch_fewRepeatsAndMany_agree();
    void captured_bodyThrows_leavesTheStreamUsable();
    void measureStage_stopRequested_isCancelled();
    void measureStage_tooBigForTheGpu_failsAndTheNextOneWorks();
    void timeline_mergedSchedule_mapsEveryKernel_data();
    void timeline_mergedSchedule_mapsEveryKernel();
    void timeline_tracedSampledTraced_recordsBoth();
};

void TestGpuConformance::initTestCase()
{
    const DeviceInfo info = take(gpu::makeGpuDevice(gpuId().toStdString()))->info();
    if (!info.available)
        QSKIP(info.unavailableReason.c_str());
    qInfo("%s", info.fingerprint.c_str());
}

void TestGpuConformance::everyPromise_ofDevices_isKept_data()
{
    QTest::addColumn<Promise>("promise");
    QTest::newRow("describes itself") << Promise{describesItself};
    QTest::newRow("stages") << Promise{stagesHaveLatencies};
    QTest::newRow("schedules") << Promise{schedulesHaveLatencies};
    QTest::newRow("stop") << Promise{stopsWhenAsked};
    QTest::newRow("timelines") << Promise{timelinesFitTheSchedule};
    QTest::newRow("illegal stages") << Promise{refusesIllegalStages};
    QTest::newRow("illegal schedules") << Promise{refusesIllegalSchedules};
    QTest::newRow("outputs") << Promise{runsRightOrRefuses};
}

void TestGpuConformance::everyPromise_ofDevices_isKept()
{
    QFETCH(const Promise, promise);
    promise({.make = [] { return take(gpu::makeGpuDevice(gpuId().toStdString())); },
             .executes = true,
             .tolerance = boundOf(gpuId())});
}

void TestGpuConformance::run_eachOperator_equalsTheReference_data()
{
    QTest::addColumn<MakeGraph>("make");
    QTest::addColumn<QByteArray>("id");
    for (const char *mode : wanted({"", ":nhwc", ":fp16"})) {
        for (const NetworkCase &network : operatorCases())
            QTest::addRow("%s%s", network.name.c_str(), mode) << network.make << gpuId(mode);
    }
}

void TestGpuConformance::run_eachOperator_equalsTheReference()
{
    QFETCH(const MakeGraph, make);
    QFETCH(const QByteArray, id);
    const auto graph = make();
    compareWithReference(*opened(id, graph), id, *graph, sequentialSchedule(*graph, oneBlock(*graph)));
}

void TestGpuConformance::run_everySchedule_equalsTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QByteArray>("id");
    for (const char *mode :
         wanted({"", ":streams", ":nhwc", ":tf32", ":fp16", ":flush", ":fp16:streams", ":tf32:nchw"})) {
        for (const int width : {3, 16}) {
            for (const int batch : {1, 2})
                QTest::addRow("width %d, batch %d%s", width, batch, mode) << width << batch << gpuId(mode);
        }
    }
}

void TestGpuConformance::run_everySchedule_equalsTheReference()
{
    QFETCH(const int, width);
    QFETCH(const int, batch);
    QFETCH(const QByteArray, id);
    const auto graph = inceptionModule(width, batch);
    const Blocks blocks = oneBlock(*graph);
    QVERIFY(verifySchedule(*graph, blocks, mergedSchedule()));
    const auto session = opened(id, graph);
    for (const Schedule &schedule :
         {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks), mergedSchedule()})
        compareWithReference(*session, id, *graph, schedule);
}

void TestGpuConformance::run_randomGraphs_equalTheReference()
{
    std::minstd_rand random(3);
    for (int round = 0; round < 12; ++round) {
        const auto graph = randomNetwork(random, round);
        const auto session = opened(gpuId(), graph);
        compareWithReference(*session, gpuId(), *graph, sequentialSchedule(*graph, oneBlock(*graph)));
        compareWithReference(*session, gpuId(), *graph, greedySchedule(*graph, oneBlock(*graph)));
        if (QTest::currentTestFailed())
            return;
    }
}

void TestGpuConformance::run_twice_givesTheSame()
{
    const auto graph = inceptionModule(16, 1);
    const auto session = opened(gpuId(), graph);
    const auto inputs = randomInputs(*graph, 1);
    const auto first = take(runOn(*session, mergedSchedule(), inputs, {}));
    QVERIFY(take(runOn(*session, mergedSchedule(), inputs, {})).front().values == first.front().values);
}

void TestGpuConformance::run_wrongInputs_areRefused()
{
    const auto graph = inceptionModule(16, 1);
    const auto session = opened(gpuId(), graph);
    const Schedule schedule = sequentialSchedule(*graph, oneBlock(*graph));
    const auto none = runOn(*session, schedule, {}, {});
    QVERIFY(!none && none.error().code == ErrorCode::WrongUse);
    auto inputs = randomInputs(*graph, 1);
    inputs[0].shape.dims[2] = 15;
    const auto other = runOn(*session, schedule, inputs, {});
    QVERIFY(!other && other.error().message.find("but must be 1x3x17x15") != std::string::npos);
}

void TestGpuConformance::measureStage_unknownOperator_isRefusedByName()
{
    GraphBuilder builder("unknown");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    Operator op;
    op.name = "mystery";
    op.type = "Einsum";
    op.inputs = {{x}};
    QVERIFY(builder.add(op, {Tensor{"y", Shape{{1, 8}}, DataType::Float32, {}}}));
    const auto graph = std::make_shared<Graph>(builder.build().value());
    const auto sample = opened(gpuId(), graph)->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {});
    QVERIFY(!sample && sample.error().context.front() == "operator mystery");
}

void TestGpuConformance::measureSchedule_graphAndStreams_areCounted_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *mode : {"", ":streams", ":flush", ":streams:flush"})
        QTest::addRow("gpu%s", mode) << gpuId(mode);
}

void TestGpuConformance::measureSchedule_graphAndStreams_areCounted()
{
    QFETCH(const QByteArray, id);
    const auto graph = inceptionModule(32, 1);
    const auto measured = take(opened(id, graph)->measureSchedule(mergedSchedule(), {}));
    QVERIFY(measured.whole.timing.latencyUs > 1 && measured.whole.timing.latencyUs < 1e5 &&
            measured.whole.timing.runs > 1);
    QCOMPARE(measured.stages.size(), mergedSchedule().stages.size());
    for (const auto &[stage, origin] : measured.stages)
        QVERIFY(stage.latencyUs > 0 && stage.meanUs > 0);
}

namespace {

// The latency of a graph with `repeats` runs.
double graphUs(gpu::GpuContext &context, gpu::Program &program, int repeats)
{
    gpu::Stopwatch stopwatch(context, program, repeats);
    for (int i = 0; i < 200; ++i) // until clocks have risen
        (void)stopwatch.timeUs(10);
    std::vector<double> times;
    for (int i = 0; i < 51; ++i)
        times.push_back(stopwatch.timeUs(1));
    std::ranges::nth_element(times, times.begin() + 25);
    return times[25] * repeats;
}

} // namespace

// A GPU that was warmed up does not run at its idle clock of some hundreds of MHz.
void TestGpuConformance::measureStage_clocksThatCanBeRead_areRecorded()
{
    const auto facts = take(gpu::makeGpuDevice(gpuId().toStdString()))->info().facts;
    const bool canBeRead = std::ranges::any_of(facts, [](const auto &fact) { return fact.first == "clocks now"; });
    const auto graph = inceptionModule(32, 1);
    const auto session = opened(gpuId(), graph);
    const auto sample = take(session->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {}));
    QCOMPARE(sample.timing.clocks.isKnown(), canBeRead);
    if (canBeRead)
        QVERIFY2(sample.timing.clocks.coreMhz > 500 && sample.timing.clocks.memoryMhz > 500,
                 toString(sample.timing.clocks).c_str());
    qInfo("clocks: %s", canBeRead ? toString(sample.timing.clocks).c_str() : "not told by this machine");
}

void TestGpuConformance::stopwatch_fewRepeatsAndMany_agree_data()
{
    QTest::addColumn<int>("groups");
    QTest::newRow("one kernel") << 1;
    QTest::newRow("a kernel in each of eight groups") << 8;
}

// What a run takes when it is added to a graph: the launch of the graph cancels out.
void TestGpuConformance::stopwatch_fewRepeatsAndMany_agree()
{
    QFETCH(const int, groups);
    NetworkMaker network(Shape{{1, 64, 28, 28}});
    Stage stage{0, Strategy::Concurrent, {}};
    for (int i = 0; i < groups; ++i) {
        (void)network.activation({{network.x()}}, kRelu);
        stage.groups.push_back({OperatorId{static_cast<std::uint32_t>(i)}});
    }
    try {
        gpu::GpuContext context(network.build(), take(gpu::gpuOptionsFrom(gpuId().toStdString())));
        const auto program = take(gpu::Program::compile(context, Schedule{.stages = {stage}}));
        program->fillOutside();
        const double eight = graphUs(context, *program, 8);
        const double few = (graphUs(context, *program, 16) - eight) / 8;
        const double many = (graphUs(context, *program, 128) - graphUs(context, *program, 64)) / 64;
        const double launch = eight - 8 * few;
        qInfo("cost: a run of %d groups takes %.2f us; launching a graph of eight adds %.2f us, %.1f %% of a measured "
              "stage",
              groups, few, launch, 100 * launch / eight);
        QVERIFY2(few < 1.2 * many && many < 1.2 * few, qPrintable(QString("%1 us and %2 us").arg(few).arg(many)));
    } catch (const gpu::Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

// Clocks are read between samples of some tens of microseconds to milliseconds.
void TestGpuConformance::clocks_reading_isCheap()
{
    std::array<char, 32> busId{};
    QCOMPARE(cudaDeviceGetPCIBusId(busId.data(), busId.size(), qEnvironmentVariable("STAGECRAFT_GPU", "0").toInt()),
             cudaSuccess);
    const gpu::Clocks clocks(busId.data());
    if (!clocks.read()) { // not a failure: latencies then have no clocks
        qInfo("cost: this machine does not tell its clocks");
        return;
    }
    std::vector<double> us;
    for (int i = 0; i < 201; ++i) {
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(clocks.read());
        us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::ranges::sort(us);
    qInfo("cost: clocks are read in %.0f us (median of 201), %.0f us at most", us[100], us.back());
    QVERIFY2(us[100] < 1000, qPrintable(QString("%1 us").arg(us[100])));
}

void TestGpuConformance::captured_bodyThrows_leavesTheStreamUsable()
{
    QCOMPARE(cudaSetDevice(qEnvironmentVariable("STAGECRAFT_GPU", "0").toInt()), cudaSuccess);
    const gpu::Stream stream = gpu::makeStream();
    QVERIFY_EXCEPTION_THROWN((void)gpu::captured(stream.get(), [] { throw std::bad_alloc(); }), std::bad_alloc);
    cudaStreamCaptureStatus status{};
    QCOMPARE(cudaStreamIsCapturing(stream.get(), &status), cudaSuccess);
    QCOMPARE(status, cudaStreamCaptureStatusNone);
    QCOMPARE(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

void TestGpuConformance::measureStage_stopRequested_isCancelled()
{
    const auto graph = inceptionModule(16, 1);
    std::stop_source stop;
    stop.request_stop();
    const auto sample = opened(gpuId(), graph)->stageLatency(mergedSchedule().stages.front(), stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
}

void TestGpuConformance::measureStage_tooBigForTheGpu_failsAndTheNextOneWorks()
{
    NetworkMaker network(Shape{{1, 1, 1, 1 << 28}}); // a gigabyte each
    for (int i = 0; i < 400; ++i)
        (void)network.activation({{network.x()}}, kRelu);
    const auto graph = network.build();
    const auto session = opened(gpuId(), graph);
    const Schedule greedy = greedySchedule(*graph, oneBlock(*graph));
    const auto whole = session->measureWhole(greedy, {});
    QVERIFY(!whole);
    QVERIFY2(whole.error().message.find("out of memory") != std::string::npos, whole.error().message.c_str());
    QVERIFY(whole.error().remedy.starts_with("use a smaller batch"));
    QVERIFY(!session->hardware()->isBroken());
    QVERIFY(session->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {}));
}

void TestGpuConformance::timeline_mergedSchedule_mapsEveryKernel_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *mode : {"", ":streams"})
        QTest::addRow("gpu%s", mode) << gpuId(mode);
}

void TestGpuConformance::timeline_mergedSchedule_mapsEveryKernel()
{
    QFETCH(const QByteArray, id);
    const auto graph = inceptionModule(32, 1);
    const auto session = opened(id, graph);
    const auto timeline = session->timeline(mergedSchedule(), {});
    // The first row has sampled counters in this process, after which CUPTI may not trace; the worker profiles once per
    // process.
    const QByteArray after =
        id == gpuId() ? "" : " (with counters sampled before, in this process: run this row alone)";
    QVERIFY2(timeline, timeline ? "" : (timeline.error().message + after.constData()).c_str());
    for (const std::string &note : timeline->notes)
        qInfo("%s", note.c_str());
    QVERIFY(session->hardware()->wasProfiled());
    QVERIFY2(timeline->kernels.size() >= mergedSchedule().stages.size(),
             (std::to_string(timeline->kernels.size()) + " kernels" + after.constData()).c_str());
    std::set<OperatorId> seen;
    for (const KernelSpan &kernel : timeline->kernels) {
        QVERIFY2(!kernel.operators.empty(), kernel.name.c_str());
        seen.insert(kernel.operators.begin(), kernel.operators.end());
    }
    // The join is done by the operators that write their parts in place (tst_gpu_plan:
    // planProgram_mergedSchedule_namesAllButTheJoin).
    std::set<OperatorId> expected;
    for (std::uint32_t i = 0; i < graph->size(); ++i)
        expected.insert(OperatorId{i});
    expected.erase(OperatorId{7});
    QVERIFY(seen == expected);
    for (std::size_t stage = 1; stage < timeline->stages.size(); ++stage)
        QVERIFY(timeline->stages[stage].startNs >= timeline->stages[stage - 1].endNs);
    const CounterSeries *warps = timeline->counter("active warps");
    QVERIFY(warps && mean(*warps, timeline->durationNs) > 0);
}

// After PM sampling CUPTI may record no kernels in the same process. If so, this row fails and says it; the worker
// profiles once per process.
void TestGpuConformance::timeline_tracedSampledTraced_recordsBoth()
{
    const auto graph = inceptionModule(32, 1);
    const auto session = opened(gpuId(), graph);
    const auto start = std::chrono::steady_clock::now();
    const auto first = session->timeline(mergedSchedule(), {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    const bool isSampled =
        std::ranges::any_of(first->counters, [](const CounterSeries &series) { return series.kind == "sampled"; });
    const auto second = session->timeline(mergedSchedule(), {});
    qInfo("cost: a timeline took %.2f s, %s; traced again afterwards: %s", took.count(),
          isSampled ? "sampled" : "not sampled",
          second ? (std::to_string(second->kernels.size()) + " kernels").c_str() : second.error().message.c_str());
    QVERIFY2(isSampled, first->notes.empty() ? "" : first->notes.back().c_str());
    QVERIFY2(second, second ? "" : second.error().message.c_str());
    QCOMPARE(second->kernels.size(), first->kernels.size());
}

STAGECRAFT_SUITE(TestGpuConformance)

} // namespace tst_gpu_conformance
#include "tst_gpu_conformance.moc"
