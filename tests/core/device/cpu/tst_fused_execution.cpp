// Fused stages on the processor: rTasks that are slices make what whole operators make.

#include "device/cpu/cpu_device.h"
#include "model/built_in.h"
#include "model/rewrite/cut_blocks.h"
#include "schedule/stage_groups.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_fused_execution {
namespace {

std::unique_ptr<DeviceSession> opened(const std::shared_ptr<const Graph> &graph, int cores = 2)
{
    CpuOptions options;
    options.cores = cores;
    options.poisonsFreed = true;
    options.leastSliceNs = 0; // everything is cut that can be
    return take(makeCpuDevice(options)->open(graph));
}

// Each block as one fused stage.
TimedSchedule fusedSchedule(const Graph &graph, const Blocks &blocks)
{
    TimedSchedule schedule;
    for (std::size_t block = 0; block < blocks.size(); ++block)
        schedule.stages.push_back(stageOf(graph, block, blocks[block].operators, Strategy::Fused));
    return schedule;
}

void compareWithReference(const std::shared_ptr<const Graph> &graph, const Blocks &blocks, int cores = 2)
{
    const auto reference = referenceTensors(*graph, randomInputs(*graph, 1));
    const auto session = opened(graph, cores);
    const auto outputs = take(runOn(*session, fusedSchedule(*graph, blocks), randomInputs(*graph, 1), {}));
    QCOMPARE(outputs.size(), graph->outputs().size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double difference = relativeDifference(outputs[i].values, reference[graph->outputs()[i].index()]);
        QVERIFY2(difference < 1e-5,
                 qPrintable(QString("%1 differs by %2").arg(outputs[i].name.c_str()).arg(difference)));
    }
}

using MakeGraph = std::function<std::shared_ptr<const Graph>()>;

} // namespace

class TestFusedExecution : public QObject {
    Q_OBJECT

private slots:
    void run_eachOperator_equalsTheReference_data();
    void run_eachOperator_equalsTheReference();
    void run_anyWidth_equalsTheReference_data();
    void run_anyWidth_equalsTheReference();
    void run_randomGraphs_equalTheReference();
    void run_network_equalsItsOperatorsOneByOne_data();
    void run_network_equalsItsOperatorsOneByOne();
    void timeline_fused_hasEveryTaskOnAUnit();
    void workspace_fused_isByOperator();
};

void TestFusedExecution::run_eachOperator_equalsTheReference_data()
{
    QTest::addColumn<MakeGraph>("make");
    for (const NetworkCase &network : operatorCases())
        QTest::newRow(network.name.c_str()) << network.make;
}

void TestFusedExecution::run_eachOperator_equalsTheReference()
{
    QFETCH(MakeGraph, make);
    const auto graph = make();
    compareWithReference(graph, oneBlock(*graph), 3);
}

void TestFusedExecution::run_anyWidth_equalsTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("cores");
    for (const int width : {64, 32, 16, 12, 3}) {
        for (const int batch : {1, 2}) {
            for (const int cores : {1, 2, 5})
                QTest::addRow("width %d, batch %d, %d cores", width, batch, cores) << width << batch << cores;
        }
    }
}

void TestFusedExecution::run_anyWidth_equalsTheReference()
{
    QFETCH(int, width);
    QFETCH(int, batch);
    QFETCH(int, cores);
    const auto graph = inceptionModule(width, batch);
    compareWithReference(graph, oneBlock(*graph), cores);
}

void TestFusedExecution::run_randomGraphs_equalTheReference()
{
    std::minstd_rand random(3);
    for (int round = 0; round < 60; ++round) {
        const auto graph = randomNetwork(random, round);
        compareWithReference(graph, oneBlock(*graph), 1 + round % 4);
        compareWithReference(graph, consecutiveBlocks(*graph, 3));
        if (QTest::currentTestFailed())
            return;
    }
}

void TestFusedExecution::run_network_equalsItsOperatorsOneByOne_data()
{
    QTest::addColumn<std::string>("network");
    for (const char *network : {"squeezenet", "nasnet_cifar", "resnext29", "shufflenet_v2"})
        QTest::newRow(network) << std::string(network);
}

void TestFusedExecution::run_network_equalsItsOperatorsOneByOne()
{
    QFETCH(std::string, network);
    SourceGraph source = take(builtInNetwork(network));
    const Blocks blocks = cutLongBlocks(source.graph, source.blocks);
    const auto graph = std::make_shared<const Graph>(std::move(source.graph));
    const auto session = opened(graph);
    const auto expected = take(runOn(*session, sequentialSchedule(*graph, blocks), randomInputs(*graph, 1), {}));
    const auto made = take(runOn(*session, fusedSchedule(*graph, blocks), randomInputs(*graph, 1), {}));
    QCOMPARE(made.size(), expected.size());
    for (std::size_t i = 0; i < made.size(); ++i)
        QVERIFY(relativeDifference(made[i].values, expected[i].values) < 1e-5);
}

void TestFusedExecution::timeline_fused_hasEveryTaskOnAUnit()
{
    const auto graph = inceptionModule(32, 1);
    const auto session = opened(graph, 2);
    const Timeline timeline = take(session->timeline(fusedSchedule(*graph, oneBlock(*graph)), {}));
    QCOMPARE(timeline.fused.size(), std::size_t{1});
    const FusedUnits &fused = timeline.fused.front();
    QCOMPARE(fused.rows.size(), std::size_t{2});
    std::vector<std::int64_t> ran(fused.rOperators.size(), 0);
    for (const UnitRow &row : fused.rows) {
        std::int64_t reachedNs = 0;
        for (const UnitTask &task : row.tasks) {
            ++ran[task.rOperator];
            QVERIFY(task.startNs >= reachedNs && task.endNs >= task.startNs);
            reachedNs = task.endNs;
        }
        QVERIFY(reachedNs <= timeline.durationNs);
    }
    bool isCut = false;
    for (std::size_t i = 0; i < ran.size(); ++i) {
        const TimedROperator &one = fused.rOperators[i];
        QCOMPARE(ran[i], one.rKernels[one.chosen].rTasks);
        isCut = isCut || ran[i] > 1;
    }
    QVERIFY(isCut);
    QVERIFY(busyShare(fused) > 0);
    QCOMPARE(timeline.stages.size(), std::size_t{1});
}

void TestFusedExecution::workspace_fused_isByOperator()
{
    const auto graph = inceptionModule(32, 1);
    const auto session = opened(graph, 2);
    const Stage stage = fusedSchedule(*graph, oneBlock(*graph)).stages.front();
    QCOMPARE(take(session->workspace()->workspaceBytes(stage, {})).size(), graph->size());
}

STAGECRAFT_SUITE(TestFusedExecution)

} // namespace tst_fused_execution
#include "tst_fused_execution.moc"
