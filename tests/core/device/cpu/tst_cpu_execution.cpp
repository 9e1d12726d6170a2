#include "device/cpu/cpu_device.h"
#include "schedule/verify.h"
#include "search/stages/search.h"
#include "search/streams/relaxed.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/random_streams.h"
#include "support/reference_execution.h"
#include "support/suite.h"
#include "timing/timeline/timeline_rows.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cpu_execution {

namespace {

std::vector<HostTensor> runOn(const std::shared_ptr<const Graph> &graph, const TimedSchedule &schedule, int cores = 2)
{
    CpuOptions options;
    options.cores = cores;
    options.poisonsFreed = true; // a wrong lifetime shows
    auto session = makeCpuDevice(options)->open(graph);
    if (!session)
        qFatal("%s", session.error().message.c_str());
    auto outputs = runOn(**session, schedule, randomInputs(*graph, 1), {});
    if (!outputs)
        qFatal("%s", outputs.error().message.c_str());
    return std::move(*outputs);
}

void compareWithReference(const std::shared_ptr<const Graph> &graph, const TimedSchedule &schedule, int cores = 2)
{
    const auto reference = referenceTensors(*graph, randomInputs(*graph, 1));
    const auto outputs = runOn(graph, schedule, cores);
    QCOMPARE(outputs.size(), graph->outputs().size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double difference = relativeDifference(outputs[i].values, reference[graph->outputs()[i].index()]);
        QVERIFY2(difference < 1e-5,
                 qPrintable(QString("%1 differs by %2").arg(outputs[i].name.c_str()).arg(difference)));
    }
}

using MakeGraph = std::function<std::shared_ptr<const Graph>()>;

} // namespace

class TestCpuExecution : public QObject {
    Q_OBJECT

private slots:
    void run_eachOperator_equalsTheReference_data();
    void run_eachOperator_equalsTheReference();
    void run_everySchedule_equalsTheReference_data();
    void run_everySchedule_equalsTheReference();
    void run_randomGraphs_equalTheReference();
    void run_randomStreams_equalTheReference();
    void run_mergedStreams_equalTheReference();
    void run_mergedProducts_equalTheReference_data();
    void run_mergedProducts_equalTheReference();
    void run_mergedBranches_equalTheReference_data();
    void run_mergedBranches_equalTheReference();
    void run_mergedEqualProducts_equalTheReference_data() { run_mergedProducts_equalTheReference_data(); }
    void run_mergedEqualProducts_equalTheReference();
    void run_randomLaunchOrders_equalTheReference();
    void run_softmaxOverChannels_equalsItsDefinition_data();
    void run_softmaxOverChannels_equalsItsDefinition();
    void run_wrongInputs_areRefused();
    void open_unknownOperator_isRefusedByName();
    void open_otherTypeOfElements_isRefusedByName();
    void open_unusedOutputOfUnknownShape_isTolerated();
    void measureStage_anyStage_isPositiveAndCounted();
    void measureStage_stopRequested_isCancelled();
    void timeline_stages_areOnTheThreadsTheyWereGiven();
    void timeline_streams_oneThreadDoesOneThingAtATime();
    void workspace_ofGroups_holdsWhatLiesBetweenKernels();
};

void TestCpuExecution::run_eachOperator_equalsTheReference_data()
{
    QTest::addColumn<MakeGraph>("make");
    for (const NetworkCase &network : operatorCases())
        QTest::newRow(network.name.c_str()) << network.make;
}

void TestCpuExecution::run_eachOperator_equalsTheReference()
{
    QFETCH(MakeGraph, make);
    const auto graph = make();
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)));
}

void TestCpuExecution::run_everySchedule_equalsTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("cores");
    for (const int width : {16, 32, 12, 3}) {
        for (const int batch : {1, 2}) {
            for (const int cores : {1, 2, 5})
                QTest::addRow("width %d, batch %d, %d cores", width, batch, cores) << width << batch << cores;
        }
    }
}

void TestCpuExecution::run_everySchedule_equalsTheReference()
{
    QFETCH(int, width);
    QFETCH(int, batch);
    QFETCH(int, cores);
    const auto graph = inceptionModule(width, batch);
    const Blocks blocks = oneBlock(*graph);
    QVERIFY(verifySchedule(*graph, blocks, mergedSchedule()));
    for (const TimedSchedule &schedule :
         {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks), mergedSchedule()})
        compareWithReference(graph, schedule, cores);
}

void TestCpuExecution::run_randomGraphs_equalTheReference()
{
    std::minstd_rand random(3);
    for (int round = 0; round < 40; ++round) {
        const auto graph = randomNetwork(random, round);
        const Blocks blocks = oneBlock(*graph);
        compareWithReference(graph, sequentialSchedule(*graph, blocks));
        compareWithReference(graph, greedySchedule(*graph, blocks), 3);
        if (QTest::currentTestFailed())
            return;
    }
}

// 1,000 schedules, each run with every buffer poisoned that nobody needs any more.
void TestCpuExecution::run_randomStreams_equalTheReference()
{
    std::minstd_rand networks(4);
    std::mt19937 random(4);
    for (int round = 0; round < 50; ++round) {
        const auto graph = randomNetwork(networks, round);
        const auto inputs = randomInputs(*graph, 1);
        const auto reference = referenceTensors(*graph, inputs);
        CpuOptions options;
        options.cores = 1 + round % 4;
        options.poisonsFreed = true;
        const auto session = take(makeCpuDevice(options)->open(graph));
        for (int i = 0; i < 20; ++i) {
            const Schedule schedule{.streams = randomStreams(*graph, 1 + random() % 5, random)};
            const auto outputs = take(stagecraft::runOn(*session, schedule, inputs, {}));
            for (std::size_t k = 0; k < outputs.size(); ++k)
                QVERIFY(relativeDifference(outputs[k].values, reference[graph->outputs()[k].index()]) < 1e-5);
        }
    }
}

void TestCpuExecution::run_mergedStreams_equalTheReference()
{
    const auto graph = inceptionModule(16, 2);
    TimedSchedule schedule;
    schedule.streams = relaxedStreams(*graph, mergedSchedule().stages);
    QVERIFY(std::ranges::any_of(schedule.streams->launches, &StreamLaunch::isMerged));
    for (const int cores : {1, 2, 5})
        compareWithReference(graph, schedule, cores);
}

void TestCpuExecution::run_mergedProducts_equalTheReference_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("input");
    QTest::addColumn<bool>("transposed");
    QTest::addColumn<int>("activation");
    QTest::newRow("one row") << std::vector<std::int64_t>{1, 12} << false << int(ActivationKind::None);
    QTest::newRow("rows") << std::vector<std::int64_t>{7, 12} << true << int(ActivationKind::Relu);
    QTest::newRow("a stack") << std::vector<std::int64_t>{2, 7, 12} << false << int(ActivationKind::Gelu);
    QTest::newRow("a stack, transposed") << std::vector<std::int64_t>{3, 2, 7, 12} << true << int(ActivationKind::None);
}

void TestCpuExecution::run_mergedProducts_equalTheReference()
{
    QFETCH(const std::vector<std::int64_t>, input);
    QFETCH(const bool, transposed);
    QFETCH(const int, activation);
    const auto graph = productsOfOneInput(Shape{input}, transposed, {static_cast<ActivationKind>(activation)});
    const TimedSchedule schedule = mergedProducts();
    QVERIFY(verifySchedule(*graph, oneBlock(*graph), schedule));
    compareWithReference(graph, schedule);
    TimedSchedule streams;
    streams.streams = relaxedStreams(*graph, schedule.stages);
    compareWithReference(graph, streams);
}

void TestCpuExecution::run_mergedBranches_equalTheReference_data()
{
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("out");
    QTest::addColumn<int>("groups");
    QTest::newRow("plain") << 16 << 16 << 1;
    QTest::newRow("odd channels") << 5 << 3 << 1;
    QTest::newRow("grouped") << 16 << 32 << 4;
    QTest::newRow("depthwise") << 32 << 32 << 32;
    QTest::newRow("depthwise, twice as many") << 6 << 12 << 6;
}

void TestCpuExecution::run_mergedBranches_equalTheReference()
{
    QFETCH(const int, channels);
    QFETCH(const int, out);
    QFETCH(const int, groups);
    const auto graph = equalBranches(channels, out, groups);
    const TimedSchedule schedule = mergedBranches();
    QVERIFY(verifySchedule(*graph, oneBlock(*graph), schedule));
    for (const int cores : {1, 2})
        compareWithReference(graph, schedule, cores);
    TimedSchedule streams;
    streams.streams = relaxedStreams(*graph, schedule.stages);
    compareWithReference(graph, streams);
}

void TestCpuExecution::run_mergedEqualProducts_equalTheReference()
{
    QFETCH(const std::vector<std::int64_t>, input);
    QFETCH(const bool, transposed);
    QFETCH(const int, activation);
    const auto graph = equalProducts(Shape{input}, transposed, {static_cast<ActivationKind>(activation)});
    QVERIFY(verifySchedule(*graph, oneBlock(*graph), mergedBranches()));
    compareWithReference(graph, mergedBranches());
}

void TestCpuExecution::run_randomLaunchOrders_equalTheReference()
{
    std::minstd_rand networks(5);
    std::mt19937 random(5);
    std::size_t ordered = 0;
    for (int round = 0; round < 30; ++round) {
        const auto graph = randomNetwork(networks, round);
        const Streams streams = randomStreams(*graph, 1, random);
        TimedSchedule schedule = greedySchedule(*graph, oneBlock(*graph));
        for (const StreamLaunch &launch : streams.launches) {
            const OperatorId id = launch.operators.front();
            for (Stage &stage : schedule.stages) {
                const auto has = [&](const auto &group) { return std::ranges::find(group, id) != group.end(); };
                if (stage.groups.size() > 1 && std::ranges::any_of(stage.groups, has))
                    stage.launchOrder.push_back(id);
            }
        }
        QVERIFY(verifySchedule(*graph, oneBlock(*graph), schedule));
        ordered += std::ranges::any_of(schedule.stages, [](const Stage &stage) { return !stage.launchOrder.empty(); });
        compareWithReference(graph, schedule, 1 + round % 4);
        if (QTest::currentTestFailed())
            return;
    }
    QVERIFY(ordered > 10);
}

void TestCpuExecution::run_softmaxOverChannels_equalsItsDefinition_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("side");
    for (const char *type : {"Softmax", "LogSoftmax"}) {
        for (const int side : {1, 3, 37, 130}) // alone, one group of columns, several that do not fit, on all threads
            QTest::addRow("%s, %d pixels wide", type, side) << QString(type) << side;
    }
}

void TestCpuExecution::run_softmaxOverChannels_equalsItsDefinition()
{
    QFETCH(QString, type);
    QFETCH(int, side);
    constexpr std::size_t kImages = 2;
    constexpr std::size_t kChannels = 5;
    GraphBuilder builder("softmax");
    const Shape shape{{kImages, kChannels, side, side}};
    const TensorId x = builder.addInput("x", shape).value();
    Operator op;
    op.name = "softmax";
    op.type = type.toStdString();
    op.kind = OperatorKind::Softmax;
    op.attributes = GenericAttributes{{{"axis", std::int64_t{1}}}};
    op.inputs = {{x}};
    const TensorId y = builder.add(op, {Tensor{"y", shape, DataType::Float32, {}}}).value().front();
    const auto graph = std::make_shared<const Graph>(builder.build({y}).value());
    const auto outputs = runOn(graph, sequentialSchedule(*graph, oneBlock(*graph)));

    const std::vector<float> given = randomInputs(*graph, 1).front().values;
    const std::size_t pixels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    for (std::size_t i = 0; i < kImages * pixels; ++i) {
        const std::size_t first = i / pixels * kChannels * pixels + i % pixels;
        double sum = 0;
        for (std::size_t c = 0; c < kChannels; ++c)
            sum += std::exp(static_cast<double>(given[first + c * pixels]));
        for (std::size_t c = 0; c < kChannels; ++c) {
            const double share = std::exp(static_cast<double>(given[first + c * pixels])) / sum;
            const double wanted = type == "Softmax" ? share : std::log(share);
            const double got = static_cast<double>(outputs.front().values[first + c * pixels]);
            QVERIFY2(std::abs(got - wanted) < 1e-5, qPrintable(QString("%1 instead of %2").arg(got).arg(wanted)));
        }
    }
}

void TestCpuExecution::run_wrongInputs_areRefused()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    const TimedSchedule schedule = sequentialSchedule(*graph, oneBlock(*graph));
    const auto none = runOn(*session, schedule, {}, {});
    QVERIFY(!none && none.error().code == ErrorCode::WrongUse);
    QCOMPARE(none.error().message, std::string("no values are given for input x"));
    auto inputs = randomInputs(*graph, 1);
    inputs[0].shape.dims[2] = 15;
    const auto other = runOn(*session, schedule, inputs, {});
    QVERIFY(!other && other.error().message.find("but must be 1x3x17x15") != std::string::npos);
}

void TestCpuExecution::open_unknownOperator_isRefusedByName()
{
    GraphBuilder builder("unknown");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    Operator op;
    op.name = "mystery";
    op.type = "Mystery";
    op.inputs = {{x}};
    const Tensor output{"y", Shape{{1, 8}}, DataType::Float32, {}};
    QVERIFY(builder.add(op, {output}));
    const auto graph = std::make_shared<Graph>(builder.build().value());
    auto session = makeCpuDevice()->open(graph).value();
    const auto sample = session->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {});
    QVERIFY(!sample);
    QCOMPARE(sample.error().context.front(), std::string("operator mystery"));
    QVERIFY(sample.error().message.find("Mystery") != std::string::npos);
}

void TestCpuExecution::open_otherTypeOfElements_isRefusedByName()
{
    GraphBuilder builder("integers");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    Operator op;
    op.name = "largest";
    op.type = "ArgMax";
    op.inputs = {{x}};
    QVERIFY(builder.add(op, {Tensor{"y", Shape{{1, 4, 4}}, DataType::Other, {}}}));
    const auto session = makeCpuDevice()->open(std::make_shared<Graph>(builder.build().value()));
    QVERIFY(!session && session.error().code == ErrorCode::InvalidInput);
    QCOMPARE(session.error().context.front(), std::string("operator largest"));
    QCOMPARE(session.error().message, std::string("tensor y is of a type that cpu does not execute"));
}

// Stages without the operator run; no stage runs with an operator that has a used output of unknown shape.
void TestCpuExecution::open_unusedOutputOfUnknownShape_isTolerated()
{
    for (const bool isUsed : {false, true}) {
        GraphBuilder builder("custom");
        const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
        Operator op;
        op.name = "mystery";
        op.type = "Mystery";
        op.inputs = {{x}};
        const Shape unknown{{}, false};
        const auto made = builder.add(
            op, {Tensor{"y", Shape{{1, 8, 4, 4}}, DataType::Float32, {}}, Tensor{"z", unknown, DataType::Int64, {}}});
        QVERIFY(made);
        Operator relu;
        relu.name = "relu";
        relu.kind = OperatorKind::Activation;
        relu.attributes = Activation{ActivationKind::Relu, 0, 0};
        relu.inputs = {{made->front()}};
        const TensorId last = builder.add(relu).value();
        std::vector<TensorId> outputs{last};
        if (isUsed)
            outputs.push_back(made->back());
        auto session = makeCpuDevice()->open(std::make_shared<Graph>(builder.build(outputs).value()));
        QCOMPARE(session.has_value(), !isUsed);
        if (isUsed)
            QCOMPARE(session.error().message,
                     std::string("cpu has no kernel for this operator of type Mystery with 2 outputs"));
        else
            QVERIFY((*session)->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{1}}}}, {}));
    }
}

void TestCpuExecution::measureStage_anyStage_isPositiveAndCounted()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    const TimedSchedule schedule = mergedSchedule();
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement);
    QCOMPARE(measurement->stages.size(), schedule.stages.size());
    for (const auto &[timing, kind] : measurement->stages) {
        QVERIFY(timing.latencyUs > 0 && timing.meanUs > 0 && timing.stddevUs >= 0 && kind == LatencyKind::Measured);
        QVERIFY(timing.runs >= 2);
    }
    QVERIFY(measurement->whole.timing.latencyUs > 0);
}

void TestCpuExecution::measureStage_stopRequested_isCancelled()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    std::stop_source stop;
    stop.request_stop();
    const auto sample = session->stageLatency(mergedSchedule().stages[1], stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
}

void TestCpuExecution::timeline_stages_areOnTheThreadsTheyWereGiven()
{
    const auto graph = inceptionModule(32, 1);
    CpuOptions options;
    options.cores = 2;
    auto session = makeCpuDevice(options)->open(graph).value();
    const auto timeline = session->timeline(mergedSchedule(), {});
    QVERIFY(timeline && timeline->provenance == Provenance::Measured);
    QCOMPARE(timeline->streams, std::size_t{2});
    QCOMPARE(timeline->stages.size(), std::size_t{5});
    QCOMPARE(timeline->kernels.size(), std::size_t{7}); // three of the nine operators are merged
    std::int64_t before = 0;
    for (const KernelSpan &kernel : timeline->kernels) {
        QVERIFY(kernel.startNs >= before && kernel.endNs >= kernel.startNs && kernel.endNs <= timeline->durationNs);
        QVERIFY(kernel.startNs >= timeline->stages[kernel.stage].startNs);
        QVERIFY(kernel.endNs <= timeline->stages[kernel.stage].endNs);
        before = kernel.startNs;
    }
    QVERIFY(hasThreadRows(*timeline));
    QCOMPARE(runCount(*timeline), std::size_t{9}); // each operator once, with one thread or two
    std::vector<std::int64_t> busyUntil(2);
    for (const KernelSpan &kernel : timeline->kernels) {
        const TimelineRows rows = rowsOf(kernel, *timeline);
        QCOMPARE(rows.count, std::size_t(mergedSchedule().stages[kernel.stage].concurrentGroups() == 1 ? 2 : 1));
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) { // a thread does one thing at a time
            QVERIFY(kernel.startNs >= busyUntil[row]);
            busyUntil[row] = kernel.endNs;
        }
    }
    const CounterSeries *given = timeline->counter("threads given to operators");
    QVERIFY(given && given->kind == "derived");
    QCOMPARE(*std::ranges::max_element(given->values), 2.0);
    QCOMPARE(*std::ranges::min_element(given->values), 0.0);
}

void TestCpuExecution::timeline_streams_oneThreadDoesOneThingAtATime()
{
    const auto graph = inceptionModule(32, 1);
    CpuOptions options;
    options.cores = 2;
    const auto session = take(makeCpuDevice(options)->open(graph));
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const Schedule schedule{.streams = randomStreams(*graph, 1 + random() % 4, random)};
        const Timeline timeline = take(session->timeline(schedule, {}));
        QCOMPARE(timeline.kernels.size(), graph->size());
        QVERIFY(timeline.stages.empty());
        std::vector<std::int64_t> busyUntil(timeline.streams);
        std::vector<std::int64_t> endOf(graph->size());
        for (const KernelSpan &kernel : timeline.kernels) {
            const OperatorId id = kernel.operators.front();
            QCOMPARE(kernel.stage, kOfNoStage);
            for (const OperatorId before : graph->predecessors(id))
                QVERIFY(kernel.startNs >= endOf[before.index()]);
            endOf[id.index()] = kernel.endNs;
            const TimelineRows rows = rowsOf(kernel, timeline);
            for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
                QVERIFY(kernel.startNs >= busyUntil[row]);
                busyUntil[row] = kernel.endNs;
            }
        }
    }
}

void TestCpuExecution::workspace_ofGroups_holdsWhatLiesBetweenKernels()
{
    NetworkMaker maker(Shape{{1, 32, 16, 16}});
    const TensorId activated = maker.activation({{maker.x()}}, kRelu);
    (void)maker.sepConv({{activated}}, 64, window(3));
    const auto graph = maker.build();
    auto session = take(makeCpuDevice({})->open(graph));
    QVERIFY(session->workspace());
    const auto none = take(session->workspace()->workspaceBytes({0, Strategy::Concurrent, {{OperatorId{0}}}}, {}));
    QCOMPARE(none, std::vector<std::size_t>{0});
    // Between the depthwise and the pointwise convolution.
    const auto between = take(session->workspace()->workspaceBytes({0, Strategy::Concurrent, {{OperatorId{1}}}}, {}));
    QCOMPARE(between.size(), std::size_t{1});
    QVERIFY(between.front() >= 32 * 16 * 16 * sizeof(float));
    const auto chain =
        take(session->workspace()->workspaceBytes({0, Strategy::Concurrent, {{OperatorId{0}, OperatorId{1}}}}, {}));
    QCOMPARE(chain, between); // operators of a group use it in turn
    const auto illegal =
        session->workspace()->workspaceBytes({0, Strategy::Merge, {{OperatorId{0}}, {OperatorId{1}}}}, {});
    QVERIFY(!illegal);
    QCOMPARE(illegal.error().code, ErrorCode::InvalidInput);
}

STAGECRAFT_SUITE(TestCpuExecution)

} // namespace tst_cpu_execution
#include "tst_cpu_execution.moc"
