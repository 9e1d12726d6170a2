// Timelines of GPUs from synthetic records: the task of each kernel, spans and stages, the modelled number of resident
// warps, and samples of another run on the same axis. Needs no CUDA.

#include "gpu/profile/sampled_counters.h"
#include "gpu/profile/traced_timeline.h"
#include "graph/operator_cost.h"
#include "model/built_in.h"
#include "search/stages/search.h"
#include "search/streams/relaxed.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_profile {

class TestGpuProfile : public QObject {
    Q_OBJECT

private slots:
    void taskOf_nodeClonedWithTheGraph_isTheTaskThatMadeIt();
    void taskOf_directLaunch_goesByCorrelation();
    void taskOf_madeOutsideATask_isUnknown();
    void shortKernelName_cases_data();
    void shortKernelName_cases();
    void modelledWarps_gridThatFits_isConstant();
    void modelledWarps_gridThatDoesNotFit_endsInASmallerWave();
    void modelledWarps_kernelsAtOnce_addUpToTheMaximum();
    void tracedTimeline_greedyOfTheSample_hasStagesGroupsAndStreams_data();
    void tracedTimeline_greedyOfTheSample_hasStagesGroupsAndStreams();
    void tracedTimeline_streams_areOfNoStage();
    void tracedTimeline_severalKernelsOfAnOperator_haveItsArithmeticOnce();
    void tracedTimeline_unknownKernel_isTold();
    void tracedTimeline_kernelWithoutTime_isLeftOutAndTold();
    void tracedTimeline_noRecords_isEmpty();
    void burstsOf_idleBetweenRuns_splitsThem();
    void burstsOf_notANumber_isIdle();
    void addSampled_medianRun_isStretchedAndTold();
    void addSampled_coarserThanWanted_isTold();
    void addSampled_nothingBusy_isTold();
    void addUntraced_bothLatencies_areTold();
};

namespace {

KernelRecord kernel(std::int64_t startNs, std::int64_t endNs, std::int64_t blocks, std::uint64_t node = 0)
{
    KernelRecord record;
    record.name = "kernel";
    record.startNs = startNs;
    record.endNs = endNs;
    record.grid = {blocks, 1, 1};
    record.threadsPerBlock = 96; // three warps
    record.graphNode = node;
    return record;
}

// Ten SMs of 64 warps; two blocks of any kernel fit on one.
SmLimits tenSms()
{
    return {10, 64, [](const KernelRecord &) { return 2; }};
}

using Times = std::vector<std::int64_t>;
using Values = std::vector<double>;

CounterSample sample(std::int64_t startUs, double warps, double percent)
{
    return {startUs * 1000, startUs * 1000 + 10'000, warps, percent, warps * 1e9};
}

} // namespace

void TestGpuProfile::taskOf_nodeClonedWithTheGraph_isTheTaskThatMadeIt()
{
    TaskMap tasks;
    tasks.begin(4);
    tasks.nodeMade(100);
    tasks.nodeMade(101); // a task may have several kernels
    tasks.begin(5);
    tasks.nodeMade(102);
    tasks.end();
    for (const std::uint64_t node : {100, 101, 102})
        tasks.nodeCloned(node, node + 1000);
    QCOMPARE(tasks.taskOf(kernel(0, 1, 1, 1101)).value(), std::size_t{4});
    QCOMPARE(tasks.taskOf(kernel(0, 1, 1, 1102)).value(), std::size_t{5});
    QCOMPARE(tasks.taskOf(kernel(0, 1, 1, 100)).value(), std::size_t{4});
}

void TestGpuProfile::taskOf_directLaunch_goesByCorrelation()
{
    TaskMap tasks;
    tasks.begin(2);
    tasks.launched(77);
    tasks.end();
    KernelRecord record = kernel(0, 1, 1);
    record.correlation = 77;
    QCOMPARE(tasks.taskOf(record).value(), std::size_t{2});
    record.graphNode = 9; // in a graph, the launch of the whole graph means nothing
    QVERIFY(!tasks.taskOf(record));
}

void TestGpuProfile::taskOf_madeOutsideATask_isUnknown()
{
    TaskMap tasks;
    tasks.nodeMade(1);
    tasks.nodeCloned(1, 2);
    tasks.launched(3);
    QVERIFY(!tasks.taskOf(kernel(0, 1, 1, 1)) && !tasks.taskOf(kernel(0, 1, 1, 2)));
    KernelRecord record = kernel(0, 1, 1);
    record.correlation = 3;
    QVERIFY(!tasks.taskOf(record));
}

void TestGpuProfile::shortKernelName_cases_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("ours") << QByteArray("convolution") << QByteArray("convolution");
    QTest::newRow("mangled") << QByteArray("_ZN5cudnn3addIfEEvPT_i") << QByteArray("cudnn::add<float>");
    QTest::newRow("anonymous") << QByteArray("_ZN12_GLOBAL__N_14copyEPf") << QByteArray("(anonymous namespace)::copy");
    const QByteArray argument(70, 'x');
    QTest::newRow("long") << "void cudnn::wide<" + argument + ">(float*)" << QByteArray("cudnn::wide");
}

void TestGpuProfile::shortKernelName_cases()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, expected);
    QCOMPARE(shortKernelName(name.toStdString()), expected.toStdString());
}

void TestGpuProfile::modelledWarps_gridThatFits_isConstant()
{
    const std::vector<KernelRecord> records{kernel(1000, 3000, 20)};
    const CounterSeries series = modelledWarps(records, 1000, 2000, tenSms());
    QCOMPARE(series.kind, std::string("modelled"));
    QCOMPARE(series.maximum, 640.0);
    QVERIFY((series.timesNs == Times{0, 2000}));
    QVERIFY((series.values == Values{60, 0}));
}

void TestGpuProfile::modelledWarps_gridThatDoesNotFit_endsInASmallerWave()
{
    const std::vector<KernelRecord> records{kernel(0, 3000, 45)}; // 20 + 20 + 5
    const CounterSeries series = modelledWarps(records, 0, 3000, tenSms());
    QVERIFY((series.timesNs == Times{0, 2000, 3000}));
    QVERIFY((series.values == Values{60, 15, 0}));
}

void TestGpuProfile::modelledWarps_kernelsAtOnce_addUpToTheMaximum()
{
    SmLimits limits = tenSms();
    limits.warpsPerSm = 8; // 80 in total
    const std::vector<KernelRecord> records{kernel(0, 1000, 20), kernel(500, 1500, 20)};
    const CounterSeries series = modelledWarps(records, 0, 1500, limits);
    QVERIFY((series.timesNs == Times{0, 500, 1000, 1500}));
    QVERIFY((series.values == Values{60, 80, 60, 0}));
}

namespace {

struct Traced {
    SourceGraph source;
    Schedule schedule;
    ProgramPlan plan;
    TaskMap tasks;
    std::vector<KernelRecord> records;
};

// Each task has one kernel of 10 us, which starts when the previous one of its stage is half done.
Traced traceOf(const char *id, bool isStreams = false)
{
    Traced traced{take(builtInNetwork("sample")), {}, {}, {}, {}};
    const GpuOptions options = take(gpuOptionsFrom(id));
    const Graph &graph = traced.source.graph;
    traced.schedule = greedySchedule(graph, traced.source.blocks);
    if (isStreams)
        traced.schedule = Schedule{.streams = relaxedStreams(graph, traced.schedule.stages)};
    traced.plan = take(planProgram(graph, planTensors(graph, options), traced.schedule, options,
                                   [](const ConvTask &) -> Result<std::size_t> { return 0; }));
    std::int64_t now = 50'000;
    for (std::size_t task = 0; task < traced.plan.tasks.size(); ++task) {
        if (task > 0 && traced.plan.tasks[task].stage != traced.plan.tasks[task - 1].stage)
            now += 5'000;
        traced.tasks.begin(task);
        traced.tasks.nodeMade(task + 1);
        traced.tasks.nodeCloned(task + 1, task + 501);
        traced.records.push_back(kernel(now, now + 10'000, 7, task + 501));
        now += 5'000;
    }
    traced.tasks.end();
    return traced;
}

} // namespace

void TestGpuProfile::tracedTimeline_greedyOfTheSample_hasStagesGroupsAndStreams_data()
{
    QTest::addColumn<QByteArray>("id");
    QTest::newRow("graph") << QByteArray("gpu:0");
    QTest::newRow("streams") << QByteArray("gpu:0:streams");
}

void TestGpuProfile::tracedTimeline_greedyOfTheSample_hasStagesGroupsAndStreams()
{
    QFETCH(const QByteArray, id);
    Traced traced = traceOf(id.constData());
    const auto stages = traced.schedule.stages.size();
    std::ranges::reverse(traced.records); // buffers may come in any order
    const Timeline timeline =
        tracedTimeline(traced.source.graph, traced.plan, traced.records, traced.tasks, tenSms(), traced.schedule);
    QVERIFY(timeline.provenance == Provenance::Measured);
    QVERIFY(timeline.notes.empty());
    QCOMPARE(timeline.kernels.size(), traced.plan.tasks.size());
    QCOMPARE(timeline.stages.size(), stages);
    QCOMPARE(timeline.kernels.front().startNs, std::int64_t{0});
    std::set<std::size_t> streams;
    for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
        const KernelSpan &span = timeline.kernels[i];
        const Task &task = traced.plan.tasks[i];
        QVERIFY(span.operators == task.operators && span.stage == task.stage && span.group == task.group);
        QVERIFY(span.startNs >= timeline.stages[span.stage].startNs && span.endNs <= timeline.stages[span.stage].endNs);
        streams.insert(span.stream);
    }
    QVERIFY(streams.size() > 1 && streams.size() == timeline.streams);
    for (std::size_t stage = 1; stage < stages; ++stage)
        QVERIFY(timeline.stages[stage].startNs >= timeline.stages[stage - 1].endNs);
    QCOMPARE(timeline.durationNs, timeline.kernels.back().endNs);
    QCOMPARE(timeline.counter("active warps")->kind, std::string("modelled"));
}

void TestGpuProfile::tracedTimeline_streams_areOfNoStage()
{
    const Traced traced = traceOf("gpu:0", true);
    const Timeline timeline =
        tracedTimeline(traced.source.graph, traced.plan, traced.records, traced.tasks, tenSms(), traced.schedule);
    QVERIFY(timeline.stages.empty());
    QCOMPARE(timeline.streams, std::size_t{traced.schedule.streams->count});
    std::set<std::size_t> streams;
    for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
        const KernelSpan &span = timeline.kernels[i];
        const Task &task = traced.plan.tasks[i];
        QVERIFY(span.operators == task.operators && !span.stageOrNone() && span.group == 0);
        QCOMPARE(span.stream, traced.schedule.streams->launches[task.stage].stream);
        streams.insert(span.stream);
    }
    QCOMPARE(streams.size(), timeline.streams);
}

void TestGpuProfile::tracedTimeline_severalKernelsOfAnOperator_haveItsArithmeticOnce()
{
    Traced traced = traceOf("gpu:0");
    const Graph &graph = traced.source.graph;
    KernelRecord copy = traced.records.front(); // a shorter one before it, for the same node
    copy.endNs = copy.startNs + 100;
    traced.records.push_back(copy);
    const Timeline timeline =
        tracedTimeline(graph, traced.plan, traced.records, traced.tasks, tenSms(), traced.schedule);
    double expected = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
        expected += flops(graph, OperatorId(i));
    double sum = 0;
    for (const KernelSpan &span : timeline.kernels)
        sum += span.flops;
    QCOMPARE(sum, expected);
}

void TestGpuProfile::tracedTimeline_unknownKernel_isTold()
{
    Traced traced = traceOf("gpu:0");
    const std::size_t count = traced.records.size() + 1;
    traced.records.push_back(kernel(60'000, 61'000, 1, 99'999));
    const Timeline timeline =
        tracedTimeline(traced.source.graph, traced.plan, traced.records, traced.tasks, tenSms(), traced.schedule);
    QCOMPARE(timeline.kernels.size(), count);
    QCOMPARE(timeline.notes.front(), "1 of " + std::to_string(count) + " kernels could not be mapped to an operator");
}

void TestGpuProfile::tracedTimeline_kernelWithoutTime_isLeftOutAndTold()
{
    Traced traced = traceOf("gpu:0");
    const auto timelineOf = [&] {
        return tracedTimeline(traced.source.graph, traced.plan, traced.records, traced.tasks, tenSms(),
                              traced.schedule);
    };
    const Timeline before = timelineOf();
    QVERIFY(before.notes.empty());
    traced.records.push_back(kernel(0, 0, 7, 501));
    const Timeline after = timelineOf();
    QCOMPARE(after.kernels.size(), before.kernels.size());
    QCOMPARE(after.durationNs, before.durationNs);
    QCOMPARE(after.notes.front(),
             "1 of " + std::to_string(traced.records.size()) + " kernels have no time and are left out");
}

void TestGpuProfile::tracedTimeline_noRecords_isEmpty()
{
    const Traced traced = traceOf("gpu:0");
    const Timeline timeline = tracedTimeline(traced.source.graph, traced.plan, {}, traced.tasks, tenSms(),
                                             Schedule{.stages = std::vector<Stage>(2)});
    QVERIFY(timeline.kernels.empty() && timeline.counters.empty() && timeline.durationNs == 0);
    QCOMPARE(timeline.stages.size(), std::size_t{2});
}

void TestGpuProfile::burstsOf_idleBetweenRuns_splitsThem()
{
    const std::vector<CounterSample> samples{sample(0, 0, 0),    sample(10, 5, 50), sample(20, 0, 0),
                                             sample(30, 6, 50),  sample(40, 0, 0),  sample(500, 0, 0),
                                             sample(510, 7, 50), sample(520, 0, 0)};
    const auto bursts = burstsOf(samples, 200'000);
    QCOMPARE(bursts.size(), std::size_t{2});
    QCOMPARE(bursts[0].size(), std::size_t{3}); // the pause within the burst belongs to it
    QCOMPARE(bursts[0].front().startNs, std::int64_t{10'000});
    QCOMPARE(bursts[1].size(), std::size_t{1});
    QVERIFY(burstsOf({}, 200'000).empty());
}

void TestGpuProfile::burstsOf_notANumber_isIdle()
{
    const std::vector<CounterSample> samples{sample(0, 1, qQNaN()), sample(10, 5, 50), sample(20, 1, qQNaN())};
    const auto bursts = burstsOf(samples, 200'000);
    QCOMPARE(bursts.size(), std::size_t{1});
    QCOMPARE(bursts[0].size(), std::size_t{1});
}

void TestGpuProfile::addSampled_medianRun_isStretchedAndTold()
{
    Timeline timeline;
    timeline.durationNs = 40'000;
    timeline.counters.push_back({"active warps", "warps", "modelled", 640, {0}, {100}});
    const std::vector<CounterSample> samples{sample(0, 1, 50),    sample(10, 2, 50), // 20 us: the median
                                             sample(1000, 9, 50), sample(1010, 9, 50), sample(1020, 9, 50), // 30 us
                                             sample(2000, 8, 50)};                                          // 10 us
    addSampled(timeline, samples, 10'000, 200'000, {640, 0});
    QCOMPARE(timeline.counters.size(), std::size_t{4});
    const CounterSeries &warps = *timeline.counter("active warps"); // the sampled series comes first
    QCOMPARE(warps.kind, std::string("sampled"));
    QVERIFY((warps.timesNs == Times{0, 20'000}));
    QVERIFY((warps.values == Values{1, 2}));
    QCOMPARE(timeline.counter("DRAM bandwidth")->values.back(), 2e9);
    QCOMPARE(timeline.notes.front(),
             std::string("counters sampled every 10.0 us, in a run of its own that took 20.0 us; "
                         "drawn over the traced 40.0 us"));
}

void TestGpuProfile::addSampled_coarserThanWanted_isTold()
{
    Timeline timeline;
    timeline.durationNs = 20'000;
    addSampled(timeline, std::vector<CounterSample>{sample(0, 1, 50), sample(10, 2, 50)}, 20'000, 200'000, {});
    QCOMPARE(timeline.notes.front(),
             std::string("counters sampled every 20.0 us, which is coarse, in a run of its own"));
}

void TestGpuProfile::addSampled_nothingBusy_isTold()
{
    Timeline timeline;
    timeline.durationNs = 40'000;
    addSampled(timeline, std::vector<CounterSample>{sample(0, 0, 0)}, 10'000, 200'000, {});
    QVERIFY(timeline.counters.empty());
    QVERIFY(timeline.notes.front().starts_with("active warps could not be sampled: "));
}

void TestGpuProfile::addUntraced_bothLatencies_areTold()
{
    Timeline timeline;
    timeline.durationNs = 1'234'600;
    addUntraced(timeline, 987.66);
    QCOMPARE(timeline.notes,
             std::vector<std::string>{"the traced run took 1.235 ms; without tracing it takes 987.7 us"});
}

STAGECRAFT_SUITE(TestGpuProfile)

} // namespace tst_gpu_profile
#include "tst_gpu_profile.moc"
