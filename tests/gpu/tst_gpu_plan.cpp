// Plans of whole networks, without a GPU: memory, launch order, options.
// Past 500 lines: one plan of the same networks, looked at from every side.

#include "device/simulated/simulated_device.h"
#include "gpu/plan/joint_choice.h"
#include "gpu/plan/kernel_launch.h"
#include "gpu/plan/program_plan.h"
#include "gpu/plan/quick_choice.h"
#include "gpu/plan/stream_launches.h"
#include "model/built_in.h"
#include "plan_check.h"
#include "schedule/streams/stream_events.h"
#include "search/stages/search.h"
#include "search/streams/nimble.h"
#include "search/streams/opara.h"
#include "search/streams/relaxed.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_plan {

namespace {

// Larger than one alignment, and different between convolutions.
Result<std::size_t> someWorkspace(const ConvTask &conv)
{
    return static_cast<std::size_t>(conv.y.dims[1] * 40 + 1);
}

ProgramPlan planFor(const Graph &graph, const Schedule &schedule, const GpuOptions &options)
{
    return take(planProgram(graph, planTensors(graph, options), schedule, options, someWorkspace));
}

std::size_t count(const LaunchPlan &plan, LaunchStep::Kind kind)
{
    return static_cast<std::size_t>(std::ranges::count(plan.steps, kind, &LaunchStep::kind));
}

template <typename Kind>
std::size_t count(const ProgramPlan &plan)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(plan.tasks, [](const Task &task) { return std::holds_alternative<Kind>(task.work); }));
}

TimedSchedule iosSchedule(const SourceGraph &source)
{
    const auto device = take(openSimulatedDevice("v100"));
    auto session = take(device->open(std::make_shared<const Graph>(source.graph)));
    SearchOptions options;
    options.r = 2;
    options.s = 3;
    options.maxMeasurements = 1500;
    return take(searchSchedule(source.graph, source.blocks, *session, options)).schedule;
}

std::vector<std::pair<const char *, Streams>> streamsOf(const SourceGraph &source)
{
    std::vector<OparaDemand> demands(source.graph.size());
    for (std::size_t i = 0; i < demands.size(); ++i)
        demands[i].isMemoryBound = isMemoryBoundFor(source.graph.operators()[i]);
    return {{"nimble", nimbleStreams(source.graph)},
            {"opara", oparaStreams(source.graph, demands)},
            {"relaxed greedy", relaxedStreams(source.graph, greedySchedule(source.graph, source.blocks).stages)},
            {"relaxed IOS", relaxedStreams(source.graph, iosSchedule(source).stages)}};
}

// Whether stream 0 follows, in the end, the last task of every stream.
bool joinsAllWork(const LaunchPlan &plan)
{
    std::vector<std::set<std::size_t>> open(plan.streams); // tasks that a stream follows
    std::vector<std::set<std::size_t>> events(plan.events);
    std::size_t tasks = 0;
    for (const LaunchStep &step : plan.steps) {
        switch (step.kind) {
        case LaunchStep::Kind::Run:
            open[step.stream].insert(step.item);
            ++tasks;
            break;
        case LaunchStep::Kind::Record: events[step.item] = open[step.stream]; break;
        case LaunchStep::Kind::Wait:
            open[step.stream].insert(events[step.item].begin(), events[step.item].end());
            break;
        case LaunchStep::Kind::Synchronize: break;
        }
    }
    return open.front().size() == tasks;
}

} // namespace

class TestGpuPlan : public QObject {
    Q_OBJECT

private slots:
    void gpuOptionsFrom_id_roundTrips_data();
    void gpuOptionsFrom_id_roundTrips();
    void gpuOptionsFrom_wrongId_isRefused_data();
    void gpuOptionsFrom_wrongId_isRefused();
    void planProgram_builtInNetwork_hasNoHazards_data();
    void planProgram_builtInNetwork_hasNoHazards();
    void planProgram_streams_haveNoHazards_data();
    void planProgram_streams_haveNoHazards();
    void planProgram_streams_freeWhatBarriersHeld_data();
    void planProgram_streams_freeWhatBarriersHeld();
    void planProgram_streamsWithoutAWait_areFound();
    void planStreamLaunches_launchThatNobodyWaitsFor_isJoined();
    void planStreamLaunches_launchWithoutTasks_handsItsWaitsOn();
    void planStreamLaunches_streamsMode_synchronisesOnce();
    void planProgram_eachStageAlone_hasNoHazards();
    void planProgram_brokenOrder_isFound();
    void planProgram_brokenMemory_isFound();
    void planProgram_concurrentGroups_haveWorkspacesOfTheirOwn();
    void planProgram_mergedStage_copiesOnlyWhatIsJoinedElsewhere();
    void planProgram_joinOfHomes_costsNoTask();
    void planProgram_mergedSchedule_namesAllButTheJoin();
    void launchOf_depthwise_keepsToTheLimits_data();
    void launchOf_depthwise_keepsToTheLimits();
    void launchOf_depthwise_windowTooLargeForATile_isNotStaged_data();
    void launchOf_depthwise_windowTooLargeForATile_isNotStaged();
    void planLaunches_graphMode_forksAndJoinsPerStage();
    void planLaunches_statedOrder_isKept();
    void planLaunches_streamsMode_synchronisesWhereGroupsMeet();
    void planLaunches_loneStageInStreamsMode_synchronisesGroups();
    void planProgram_operatorWithoutKernel_isRefusedByName();
    void fastestOf_hopelessCandidates_areNotReplayed();
    void fastestOf_candidatesThatDoNotWork_areLeftOut();
    void fastestOf_closeCandidates_areTimedAgain();
    void chooseJointly_fastestAloneHinderEachOther_findsThePair();
    void chooseJointly_differencesWithinNoise_keepsTheFirst();
    void chooseJointly_nothingToChoose_asksNothing();
};

void TestGpuPlan::gpuOptionsFrom_id_roundTrips_data()
{
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<QByteArray>("canonical");
    const auto row = [](const char *id, const char *canonical) {
        QTest::newRow(id) << QByteArray(id) << QByteArray(canonical);
    };
    row("gpu:0", "gpu:0");
    row("gpu:12", "gpu:12");
    row("gpu:0:fp32:graph:nchw", "gpu:0");
    row("gpu:1:streams:tf32", "gpu:1:tf32:streams");
    row("gpu:0:tf32:nhwc", "gpu:0:tf32");
    row("gpu:0:tf32:nchw", "gpu:0:tf32:nchw");
    row("gpu:0:nhwc", "gpu:0:nhwc");
    row("gpu:0:flush:fp16", "gpu:0:fp16:flush");
    row("gpu:0:instage:streams", "gpu:0:streams:instage");
    row("gpu:0:quick:instage:fp16", "gpu:0:fp16:instage:quick");
    row("gpu:0:compiled:quick", "gpu:0:quick:compiled");
    row("gpu:0:compiled:sweep", "gpu:0:sweep:compiled");
}

void TestGpuPlan::gpuOptionsFrom_id_roundTrips()
{
    QFETCH(const QByteArray, id);
    QFETCH(const QByteArray, canonical);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    QCOMPARE(QByteArray::fromStdString(toId(options)), canonical);
    QVERIFY(take(gpuOptionsFrom(toId(options))) == options);
}

void TestGpuPlan::gpuOptionsFrom_wrongId_isRefused_data()
{
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("cpu") << QByteArray("it does not begin with gpu:");
    QTest::newRow("gpu:") << QByteArray("it has no number after gpu:");
    QTest::newRow("gpu:-1") << QByteArray("it has no number after gpu:");
    QTest::newRow("gpu:0,fp16") << QByteArray("its number is followed by something else");
    QTest::newRow("gpu:0:quick:sweep") << QByteArray("leave one out");
    QTest::newRow("gpu:0:fp16:dataflow") << QByteArray("it has no option dataflow any more");
    QTest::newRow("gpu:0:fp16:tf32") << QByteArray("fp16 and tf32 are two choices of its precision");
    QTest::newRow("gpu:0:int8") << QByteArray("it has no option int8");
}

void TestGpuPlan::gpuOptionsFrom_wrongId_isRefused()
{
    QFETCH(const QByteArray, reason);
    const auto options = gpuOptionsFrom(QTest::currentDataTag());
    QVERIFY(!options && options.error().code == ErrorCode::WrongUse);
    QVERIFY2(options.error().message.ends_with(reason.toStdString()), options.error().message.c_str());
}

void TestGpuPlan::planProgram_builtInNetwork_hasNoHazards_data()
{
    QTest::addColumn<QByteArray>("network");
    for (const BuiltInNetwork &network : builtInNetworks())
        QTest::newRow(std::string(network.name).c_str()) << QByteArray(network.name.data(), network.name.size());
}

void TestGpuPlan::planProgram_builtInNetwork_hasNoHazards()
{
    QFETCH(const QByteArray, network);
    BuiltInOptions batch;
    batch.batch = 2;
    const SourceGraph source = take(builtInNetwork(network.toStdString(), batch));
    for (const Schedule &schedule : {sequentialSchedule(source.graph, source.blocks),
                                     greedySchedule(source.graph, source.blocks), iosSchedule(source)}) {
        for (const char *id : {"gpu:0", "gpu:0:streams", "gpu:0:fp16", "gpu:0:tf32:streams"}) {
            const GpuOptions options = take(gpuOptionsFrom(id));
            const ProgramPlan plan = planFor(source.graph, schedule, options);
            const QString found = violation(plan, options);
            QVERIFY2(found.isEmpty(), qPrintable(QString(id) + ": " + found));
        }
    }
}

void TestGpuPlan::planProgram_streams_haveNoHazards_data()
{
    planProgram_builtInNetwork_hasNoHazards_data();
}

void TestGpuPlan::planProgram_streams_haveNoHazards()
{
    QFETCH(const QByteArray, network);
    BuiltInOptions batch;
    batch.batch = 2;
    const SourceGraph source = take(builtInNetwork(network.toStdString(), batch));
    for (const auto &[name, streams] : streamsOf(source)) {
        for (const char *id : {"gpu:0", "gpu:0:streams", "gpu:0:fp16"}) {
            const GpuOptions options = take(gpuOptionsFrom(id));
            const ProgramPlan plan = planFor(source.graph, Schedule{.streams = streams}, options);
            const QString found = violation(plan, options);
            QVERIFY2(found.isEmpty(), qPrintable(QString("%1, %2: %3").arg(name, id, found)));
            QVERIFY(joinsAllWork(plan.launches));
        }
    }
}

void TestGpuPlan::planProgram_streams_freeWhatBarriersHeld_data()
{
    QTest::addColumn<QByteArray>("network");
    for (const char *network : {"squeezenet", "inception_v3", "nasnet", "randwire"})
        QTest::newRow(network) << QByteArray(network);
}

// That the order suffices is tested above, and by execution in other orders (tst_gpu_kernels).
void TestGpuPlan::planProgram_streams_freeWhatBarriersHeld()
{
    QFETCH(const QByteArray, network);
    const SourceGraph source = take(builtInNetwork(network.toStdString()));
    const ProgramPlan barriers = planFor(source.graph, iosSchedule(source), {});
    QCOMPARE(freePairs(barriers), std::size_t{0});
    for (const auto &[name, streams] : streamsOf(source)) {
        const ProgramPlan plan = planFor(source.graph, Schedule{.streams = streams}, {});
        qInfo("%s, %s: %zu kernels, %zu edges (IOS %zu), %zu streams (%zu), %zu KiB (%zu); %zu pairs are free",
              network.constData(), name, count(plan.launches, LaunchStep::Kind::Run), edgesOf(plan.launches),
              edgesOf(barriers.launches), plan.launches.streams, barriers.launches.streams,
              plan.plan.arena.bytes >> 10U, barriers.plan.arena.bytes >> 10U, freePairs(plan));
        QCOMPARE(freePairs(plan) > 0, streams.count > 1);
        QCOMPARE(plan.launches.streams, std::size_t{streams.count});
        QCOMPARE(count(plan.launches, LaunchStep::Kind::Synchronize), std::size_t{0});
    }
}

// Any wait of an event, but for those of the start and the end, keeps two tasks apart that share memory.
void TestGpuPlan::planProgram_streamsWithoutAWait_areFound()
{
    const auto graph = inceptionModule(16, 1);
    const ProgramPlan plan = planFor(*graph, Schedule{.streams = relaxedStreams(*graph, mergedSchedule().stages)}, {});
    std::size_t needed = 0;
    for (std::size_t i = 0; i < plan.launches.steps.size(); ++i) {
        if (plan.launches.steps[i].kind != LaunchStep::Kind::Wait)
            continue;
        ProgramPlan broken = plan;
        broken.launches.steps.erase(broken.launches.steps.begin() + static_cast<std::ptrdiff_t>(i));
        needed += violation(broken, {}).contains("touch the same memory unordered");
    }
    QVERIFY(needed > 0);
}

void TestGpuPlan::planStreamLaunches_launchThatNobodyWaitsFor_isJoined()
{
    std::vector<Task> tasks(3);
    tasks[1].stage = 1;
    tasks[2].stage = 2;
    const Streams streams{2, {{{OperatorId{0}}, 0}, {{OperatorId{1}}, 1}, {{OperatorId{2}}, 0}}};
    using Kind = LaunchStep::Kind;
    const std::vector<LaunchStep> expected{{Kind::Record, 0, 0}, {Kind::Run, 0, 0},    {Kind::Wait, 1, 0},
                                           {Kind::Run, 1, 1},    {Kind::Record, 1, 1}, {Kind::Run, 0, 2},
                                           {Kind::Wait, 0, 1}};
    const LaunchPlan plan = planStreamLaunches(tasks, streams, Mode::Graph);
    QVERIFY(plan.steps == expected);
    QCOMPARE(plan.streams, std::size_t{2});
    QCOMPARE(plan.events, std::size_t{2});
}

// A join of tensors that lie in their places has no kernel, but others wait for what it waits for.
void TestGpuPlan::planStreamLaunches_launchWithoutTasks_handsItsWaitsOn()
{
    std::vector<Task> tasks(3);
    tasks[1].stage = 1;
    tasks[2].stage = 3;
    const Streams streams{
        2, {{{OperatorId{0}}, 0}, {{OperatorId{1}}, 1}, {{OperatorId{2}}, 0, {1}}, {{OperatorId{3}}, 1, {2}}}};
    using Kind = LaunchStep::Kind;
    const std::vector<LaunchStep> expected{{Kind::Record, 0, 0}, {Kind::Run, 0, 0},    {Kind::Wait, 1, 0},
                                           {Kind::Run, 1, 1},    {Kind::Record, 1, 1}, {Kind::Wait, 0, 1},
                                           {Kind::Record, 0, 2}, {Kind::Wait, 1, 2},   {Kind::Run, 1, 2},
                                           {Kind::Record, 1, 3}, {Kind::Wait, 0, 3}};
    QVERIFY(planStreamLaunches(tasks, streams, Mode::Graph).steps == expected);
}

void TestGpuPlan::planStreamLaunches_streamsMode_synchronisesOnce()
{
    const SourceGraph source = take(builtInNetwork("inception_v3"));
    for (const auto &[name, streams] : streamsOf(source)) {
        const Schedule schedule{.streams = streams};
        const LaunchPlan graph = planFor(source.graph, schedule, {}).launches;
        std::vector<LaunchStep> direct =
            planFor(source.graph, schedule, take(gpuOptionsFrom("gpu:0:streams"))).launches.steps;
        QVERIFY(direct.back().kind == LaunchStep::Kind::Synchronize);
        direct.pop_back();
        QVERIFY(direct == graph.steps);
    }
}

void TestGpuPlan::planProgram_eachStageAlone_hasNoHazards()
{
    const SourceGraph source = take(builtInNetwork("inception_v3"));
    const Schedule schedule = greedySchedule(source.graph, source.blocks);
    for (const char *id : {"gpu:0", "gpu:0:fp16"}) {
        const GpuOptions options = take(gpuOptionsFrom(id));
        for (const Stage &stage : schedule.stages) {
            Schedule alone;
            alone.stages = {stage};
            QCOMPARE(violation(planFor(source.graph, alone, options), options), QString());
        }
    }
}

// The checks above can fail: without a join, two stages overlap.
void TestGpuPlan::planProgram_brokenOrder_isFound()
{
    const auto graph = inceptionModule(16, 1);
    ProgramPlan plan = planFor(*graph, mergedSchedule(), {});
    const auto wait = std::ranges::find(plan.launches.steps, LaunchStep::Kind::Wait, &LaunchStep::kind);
    plan.launches.steps.erase(wait);
    QVERIFY(violation(plan, {}).contains("touch the same memory unordered"));
}

void TestGpuPlan::planProgram_brokenMemory_isFound()
{
    const auto graph = inceptionModule(16, 1);
    ProgramPlan plan = planFor(*graph, sequentialSchedule(*graph, oneBlock(*graph)), {});
    std::ranges::fill(plan.plan.arena.offsets, 0);
    QVERIFY(violation(plan, {}).contains("never written or is overwritten"));
}

void TestGpuPlan::planProgram_concurrentGroups_haveWorkspacesOfTheirOwn()
{
    const auto graph = inceptionModule(16, 1);
    const ProgramPlan plan = planFor(*graph, greedySchedule(*graph, oneBlock(*graph)), {});
    std::size_t pairs = 0;
    for (const Task &a : plan.tasks) {
        for (const Task &b : plan.tasks) {
            if (a.stage != b.stage || a.group >= b.group || a.workspace.bytes == 0 || b.workspace.bytes == 0)
                continue;
            const std::size_t beginA = plan.arenaOffset(a.workspace);
            const std::size_t beginB = plan.arenaOffset(b.workspace);
            QVERIFY(beginA + a.workspace.bytes <= beginB || beginB + b.workspace.bytes <= beginA);
            ++pairs;
        }
    }
    QVERIFY(pairs > 0);
}

// Members 1 and 4 are joined later and have separate aliases; member 2 is read in place.
void TestGpuPlan::planProgram_mergedStage_copiesOnlyWhatIsJoinedElsewhere()
{
    const auto graph = inceptionModule(16, 1);
    const ProgramPlan plan = planFor(*graph, mergedSchedule(), {});
    std::size_t copies = 0;
    for (const Task &task : plan.tasks)
        copies += task.stage == 1 && std::holds_alternative<ElementwiseTask>(task.work);
    QCOMPARE(copies, std::size_t{2});
    const View &merged = plan.plan.stages[1].groups[0].operators[0].tasks[0].output();
    QVERIFY(plan.tensor(graph->op(OperatorId{2}).outputs.front()).index == merged.index);
}

void TestGpuPlan::planProgram_joinOfHomes_costsNoTask()
{
    const auto graph = inceptionModule(16, 1);
    const ProgramPlan plan = planFor(*graph, sequentialSchedule(*graph, oneBlock(*graph)), {});
    QCOMPARE(count<ElementwiseTask>(plan), std::size_t{0});
    QCOMPARE(plan.tasks.size(), graph->size() - 1);
}

// What the conformance suite expects of a trace.
void TestGpuPlan::planProgram_mergedSchedule_namesAllButTheJoin()
{
    const auto graph = inceptionModule(32, 1);
    std::set<OperatorId> seen;
    for (const Task &task : planFor(*graph, mergedSchedule(), {}).tasks)
        seen.insert(task.operators.begin(), task.operators.end());
    QCOMPARE(seen.size(), graph->size() - 1);
    QVERIFY(!seen.contains(OperatorId{7}));
}

void TestGpuPlan::launchOf_depthwise_keepsToTheLimits_data()
{
    QTest::addColumn<TensorLayout>("layout");
    QTest::addColumn<Extent>("dims");
    const std::vector<std::pair<const char *, Extent>> shapes{
        {"one pixel", {1, 512, 1, 1}},        {"two pixels", {4, 3, 1, 2}},        {"three pixels", {1, 70, 3, 1}},
        {"batch 128", {128, 32, 112, 112}},   {"many planes", {1024, 2048, 1, 1}}, {"many pixels", {1, 4, 16384, 8192}},
        {"many channels", {1, 3000000, 2, 2}}};
    for (const auto &[name, dims] : shapes) {
        QTest::addRow("%s, nchw", name) << TensorLayout::RowMajor << dims;
        QTest::addRow("%s, nhwc", name) << TensorLayout::ChannelsLast << dims;
    }
}

void TestGpuPlan::launchOf_depthwise_keepsToTheLimits()
{
    QFETCH(const TensorLayout, layout);
    QFETCH(const Extent, dims);
    const View image{View::Memory::Arena, 0, 0, dims, denseStrides(dims, layout)};
    DepthwiseTask task;
    task.x = {image};
    task.y = image;
    for (const std::int64_t kernel : {3, 31, 101, 128, 301}) {
        const Extent filter{1, dims[1], kernel, kernel};
        task.w = {View::Memory::Constant, 0, 0, filter, rowMajorStrides(filter)};
        task.window = {{kernel, kernel}, {1, 1}, {1, 1}, {kernel / 2, kernel / 2, kernel / 2, kernel / 2}};
        const KernelLaunch launch = launchOf(task, layout, [](const View &) -> void * { return nullptr; });
        const auto &[blockX, blockY, blockZ] = launch.block;
        const auto &[gridX, gridY, gridZ] = launch.grid;
        QVERIFY(blockX <= 1024 && blockY <= 1024 && blockZ >= 1 && blockZ <= 64 && blockX * blockY * blockZ <= 1024);
        QVERIFY(gridX <= 0x7FFFFFFFU && gridY <= 65535 && gridZ <= 65535);
        QVERIFY(launch.sharedBytes <= std::size_t{48} << 10U);
        const double threads = 1.0 * gridX * gridY * gridZ * blockX * blockY * blockZ;
        const int columns = launch.kernel.starts_with("depthwiseChannels") ? 4 : 1; // per thread
        QVERIFY(threads * columns >= static_cast<double>(image.elements()));
    }
}

void TestGpuPlan::launchOf_depthwise_windowTooLargeForATile_isNotStaged_data()
{
    QTest::addColumn<int>("kernel");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("tile"); // outputs per block; 0: nothing is staged
    QTest::newRow("7x7") << 7 << 1 << 512;
    QTest::newRow("7x7, far apart") << 7 << 11 << 512;
    QTest::newRow("101x101, of a smaller tile") << 101 << 1 << 64;
    QTest::newRow("105x105, of the smallest") << 105 << 1 << 32;
    QTest::newRow("128x128") << 128 << 1 << 0;
    QTest::newRow("more than an H100 has, 227 KiB") << 301 << 1 << 0;
    QTest::newRow("3x3, very far apart") << 3 << 200 << 0;
}

void TestGpuPlan::launchOf_depthwise_windowTooLargeForATile_isNotStaged()
{
    QFETCH(const int, kernel);
    QFETCH(const int, dilation);
    QFETCH(const int, tile);
    const View image{View::Memory::Arena, 0, 0, {2, 48, 56, 60}, denseStrides({2, 48, 56, 60}, TensorLayout::RowMajor)};
    const Extent filter{1, 48, kernel, kernel};
    DepthwiseTask task;
    task.x = {image};
    task.y = image;
    task.w = {View::Memory::Constant, 0, 0, filter, rowMajorStrides(filter)};
    const std::int64_t padding = std::int64_t{kernel - 1} * dilation / 2;
    task.window = {{kernel, kernel}, {1, 1}, {dilation, dilation}, {padding, padding, padding, padding}};
    const KernelLaunch launch = launchOf(task, TensorLayout::RowMajor, [](const View &) -> void * { return nullptr; });
    QVERIFY2(launch.kernel.starts_with(tile > 0 ? "depthwisePlanes" : "depthwiseChannels_0_0"), launch.kernel.c_str());
    QCOMPARE(launch.sharedBytes > 0, tile > 0);
    QVERIFY(launch.sharedBytes <= std::size_t{48} << 10U); // available on every GPU without opting in
    if (tile > 0)
        QCOMPARE(launch.block[0] * launch.block[1], static_cast<unsigned>(tile));
    const double threads = 1.0 * launch.grid[0] * launch.block[0] * launch.block[1] * launch.block[2];
    QVERIFY(threads * (tile > 0 ? 1 : 4) >= static_cast<double>(image.elements()));
}

void TestGpuPlan::planLaunches_graphMode_forksAndJoinsPerStage()
{
    std::vector<Task> tasks(4);
    for (std::size_t i = 0; i < tasks.size(); ++i)
        tasks[i].work = PoolTask{};
    tasks[1].stage = tasks[2].stage = tasks[3].stage = 1;
    tasks[3].group = 1; // stage 1: groups {1, 2} and {3}
    using Kind = LaunchStep::Kind;
    const LaunchPlan plan = planLaunches(tasks, Mode::Graph);
    const std::vector<LaunchStep> expected{{Kind::Run, 0, 0},    {Kind::Record, 0, 0}, {Kind::Wait, 1, 0},
                                           {Kind::Run, 0, 1},    {Kind::Run, 1, 3},    {Kind::Run, 0, 2},
                                           {Kind::Record, 1, 1}, {Kind::Wait, 0, 1}};
    QVERIFY(plan.steps == expected);
    QCOMPARE(plan.streams, std::size_t{2});
    QCOMPARE(plan.events, std::size_t{2});
}

void TestGpuPlan::planLaunches_statedOrder_isKept()
{
    const SourceGraph source = take(builtInNetwork("inception_v3"));
    Schedule schedule = greedySchedule(source.graph, source.blocks);
    std::mt19937 random(1);
    for (Stage &stage : schedule.stages) { // groups in any order, and in turns
        std::vector<std::size_t> next(stage.groups.size(), 0);
        while (stage.groups.size() > 1 && stage.launchOrder.size() < stage.operatorCount()) {
            const std::size_t group = random() % stage.groups.size();
            if (next[group] < stage.groups[group].size())
                stage.launchOrder.push_back(stage.groups[group][next[group]++]);
        }
    }
    for (const char *device : {"gpu:0", "gpu:0:streams"}) {
        const ProgramPlan plan = planFor(source.graph, schedule, take(gpuOptionsFrom(device)));
        std::vector<std::vector<OperatorId>> launched(schedule.stages.size());
        for (const LaunchStep &step : plan.launches.steps) {
            if (step.kind != LaunchStep::Kind::Run)
                continue;
            const Task &task = plan.tasks[step.item];
            QCOMPARE(task.turn.has_value(), !schedule.stages[task.stage].launchOrder.empty());
            auto &of = launched[task.stage];
            if (of.empty() || of.back() != task.operators.front())
                of.push_back(task.operators.front());
        }
        std::size_t ordered = 0;
        for (std::size_t i = 0; i < launched.size(); ++i) {
            std::vector<OperatorId> order = schedule.stages[i].launchOrder;
            std::erase_if(order,
                          [&](OperatorId id) { return std::ranges::find(launched[i], id) == launched[i].end(); });
            QVERIFY(order.empty() || order == launched[i]);
            ordered += order.empty() ? 0 : 1;
        }
        QVERIFY(ordered > 5);
    }
}

void TestGpuPlan::planLaunches_streamsMode_synchronisesWhereGroupsMeet()
{
    const SourceGraph source = take(builtInNetwork("inception_v3"));
    const GpuOptions options = take(gpuOptionsFrom("gpu:0:streams"));
    const Schedule sequential = sequentialSchedule(source.graph, source.blocks);
    const LaunchPlan single = planFor(source.graph, sequential, options).launches;
    QCOMPARE(count(single, LaunchStep::Kind::Synchronize), std::size_t{1});
    QVERIFY(single.steps.back().kind == LaunchStep::Kind::Synchronize);
    const Schedule greedy = greedySchedule(source.graph, source.blocks);
    const ProgramPlan plan = planFor(source.graph, greedy, options);
    QVERIFY(plan.launches.steps.back().kind == LaunchStep::Kind::Synchronize);
    std::size_t expected = 1; // the one at the end
    std::size_t before = 0;   // groups of the previous stage that have tasks
    for (std::size_t stage = 0; stage < greedy.stages.size(); ++stage) {
        std::set<std::size_t> groups;
        for (const Task &task : plan.tasks) {
            if (task.stage == stage)
                groups.insert(task.group);
        }
        if (groups.empty())
            continue;
        expected += before > 0 && std::max(before, groups.size()) > 1;
        before = groups.size();
    }
    QVERIFY(expected > 10);
    QCOMPARE(count(plan.launches, LaunchStep::Kind::Synchronize), expected);
    QCOMPARE(count(plan.launches, LaunchStep::Kind::Wait), std::size_t{0});
}

// A stage with one group is followed by the next without a wait, as in a schedule; several groups have to end together.
void TestGpuPlan::planLaunches_loneStageInStreamsMode_synchronisesGroups()
{
    std::vector<Task> tasks(2);
    QVERIFY(planLaunches({}, Mode::Streams).steps.empty());
    QCOMPARE(count(planLaunches(tasks, Mode::Streams), LaunchStep::Kind::Synchronize), std::size_t{0});
    tasks[1].group = 1;
    QCOMPARE(count(planLaunches(tasks, Mode::Streams), LaunchStep::Kind::Synchronize), std::size_t{1});
    QCOMPARE(count(planLaunches(tasks, Mode::Graph), LaunchStep::Kind::Synchronize), std::size_t{0});
}

void TestGpuPlan::planProgram_operatorWithoutKernel_isRefusedByName()
{
    GraphBuilder builder("unknown");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 4, 4}}));
    Operator op;
    op.name = "mystery";
    op.type = "Einsum";
    op.inputs = {{x}};
    take(builder.add(op, {{"y", Shape{{1, 8}}, DataType::Float32, {}}}));
    const Graph graph = take(builder.build());
    const Schedule schedule{.stages = {stageAlone(OperatorId{0})}};
    const auto plan = planProgram(graph, planTensors(graph, {}), schedule, {}, someWorkspace);
    QVERIFY(!plan);
    QCOMPARE(plan.error().context.front(), std::string("operator mystery"));
    QCOMPARE(plan.error().message, std::string("gpu has no kernel for Einsum"));
}

namespace {

// Candidates with their times; without one, the candidate does not work. Counts the replays of each.
CandidateTimes timesOf(const std::vector<std::optional<double>> &us, std::vector<int> &replays)
{
    replays.assign(us.size(), 0);
    return {[us](std::size_t index) { return us[index]; },
            [us, &replays](std::size_t index, int number) {
                replays[index] += number;
                return us[index];
            }};
}

} // namespace

// At batch 32 some are 5 to 20 times slower: one or two runs are enough for those.
void TestGpuPlan::fastestOf_hopelessCandidates_areNotReplayed()
{
    std::vector<int> replays;
    const auto fastest = fastestOf(4, timesOf({1000, 4500, 300, 900}, replays));
    QVERIFY((fastest == std::vector<TimedCandidate>{{2, 300}, {3, 900}, {0, 1000}}));
    QCOMPARE(replays[1], 0);
    // For short ones, the host's launches may be the difference.
    QCOMPARE(fastestOf(2, timesOf({2, 26}, replays)).size(), std::size_t{2});
    QCOMPARE(fastestOf(2, timesOf({2, 30}, replays)).size(), std::size_t{1});
}

void TestGpuPlan::fastestOf_candidatesThatDoNotWork_areLeftOut()
{
    std::vector<int> replays;
    QVERIFY((fastestOf(3, timesOf({std::nullopt, 7, std::nullopt}, replays)) == std::vector<TimedCandidate>{{1, 7}}));
    QVERIFY(fastestOf(1, timesOf({std::nullopt}, replays)).empty());
    QVERIFY(fastestOf(0, {}).empty());
    // It runs directly but not in a graph, or not the second time.
    for (const int works : {0, 1}) {
        int asked = 0;
        CandidateTimes times = timesOf({5}, replays);
        times.replayedUs = [&](std::size_t, int) { return asked++ < works ? std::optional(5.0) : std::nullopt; };
        QVERIFY(fastestOf(1, times).empty());
        QCOMPARE(asked, works + 1);
    }
}

// The first pass is short; the best three get a second pass, which decides.
void TestGpuPlan::fastestOf_closeCandidates_areTimedAgain()
{
    std::vector<int> replays;
    CandidateTimes times = timesOf({10, 12, 11, 13, 14}, replays);
    const auto look = times.replayedUs;
    times.replayedUs = [&](std::size_t index, int number) {
        const bool again = replays[index] > 0;
        const std::optional<double> us = look(index, number);
        return again && index == 1 ? std::optional(9.0) : us;
    };
    QVERIFY((fastestOf(5, times) == std::vector<TimedCandidate>{{1, 9}, {0, 10}, {2, 11}}));
    QVERIFY(replays[0] > replays[3] && replays[3] == replays[4]);
}

void TestGpuPlan::chooseJointly_fastestAloneHinderEachOther_findsThePair()
{
    const std::vector<std::size_t> candidates{3, 1, 2};
    int asked = 0;
    const auto cost = [&](const std::vector<std::size_t> &choice) {
        ++asked;
        // The first candidates compete for the same multiprocessors; the third candidate of the first choice fits the
        // second.
        return 10.0 - (choice[0] == 2 ? 1 : 0) - (choice[0] == 2 && choice[2] == 1 ? 2 : 0);
    };
    QVERIFY((chooseJointly(candidates, cost, 0.01, 3) == std::vector<std::size_t>{2, 0, 1}));
    QVERIFY2(asked <= 6, qPrintable(QString::number(asked))); // no combination twice
}

void TestGpuPlan::chooseJointly_differencesWithinNoise_keepsTheFirst()
{
    const std::vector<std::size_t> candidates{2, 2};
    const auto cost = [](const std::vector<std::size_t> &choice) { return choice[0] == 1 ? 9.95 : 10.0; };
    QVERIFY((chooseJointly(candidates, cost, 0.01, 3) == std::vector<std::size_t>{0, 0}));
}

void TestGpuPlan::chooseJointly_nothingToChoose_asksNothing()
{
    const auto cost = [](const std::vector<std::size_t> &) -> double {
        qFatal("it was asked");
        return 0;
    };
    QVERIFY(chooseJointly({}, cost, 0.01, 3).empty());
}

STAGECRAFT_SUITE(TestGpuPlan)

} // namespace tst_gpu_plan
#include "tst_gpu_plan.moc"
