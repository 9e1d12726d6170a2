// What stages ask of a device and reach, against numbers worked out by hand, and the roof they are under.

#include "graph/operator_cost.h"
#include "support/counter_making.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "timing/timeline/stage_loads.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stage_loads {

namespace {

// Two stages of 40 and 5 us with 1 us between them.
Timeline timelineOf(const Sample &sample)
{
    Timeline timeline;
    timeline.durationNs = 46000;
    timeline.streams = 2;
    timeline.stages = {{0, 0, 40000}, {1, 41000, 46000}};
    KernelSpan kernel;
    kernel.operators = {sample.op("a")};
    kernel.endNs = 30000;
    timeline.kernels.push_back(kernel);
    kernel.operators = {sample.op("b")};
    kernel.stream = 1;
    kernel.startNs = 10000;
    timeline.kernels.push_back(kernel);
    kernel.operators = {sample.op("ac")};
    kernel.stream = 0;
    kernel.stage = 1;
    kernel.startNs = 41000;
    kernel.endNs = 46000;
    timeline.kernels.push_back(kernel);
    timeline.counters = {counter("active warps", 1000, {0, 10000, 40000}, {100, 300, 50}),
                         counter("FLOP/s", 2e9, {0}, {0}), counter("DRAM bandwidth", 1e9, {0}, {0})};
    return timeline;
}

std::vector<std::vector<OperatorId>> operatorsOf(const Sample &sample)
{
    return {{sample.op("a"), sample.op("b"), sample.op("c")}, {sample.op("ac")}};
}

} // namespace

class TestStageLoads : public QObject {
    Q_OBJECT

private slots:
    void stageLoads_sample_areThoseOfItsOperatorsAndSpans();
    void stageLoads_withoutCounter_haveNoWarps();
    void roof_atIntensities_isTheLowerOfBoth();
    void roof_ofATimelineWithoutMaxima_isNotKnown();
    void roofShare_isOfTheNearerRoof();
    void leastUs_isWorkOrTrafficAtThePeak();
};

void TestStageLoads::stageLoads_sample_areThoseOfItsOperatorsAndSpans()
{
    const Sample sample = makeSample();
    const TimelineIndex index(std::make_shared<const Timeline>(timelineOf(sample)));
    const auto loads = stageLoads(index, *sample.graph, operatorsOf(sample));
    QCOMPARE(loads.size(), std::size_t{2});
    // Three 3x3 convolutions of 16 channels over 8x8, each with a ReLU.
    const double conv = 2.0 * 16 * 64 * 16 * 9 + 16 * 64;
    QCOMPARE(loads[0].flops, 3 * conv);
    double bytes = 0;
    const std::vector<OperatorId> ofFirst = operatorsOf(sample).front();
    for (const OperatorId op : ofFirst)
        bytes += memoryBytes(*sample.graph, op);
    QCOMPARE(loads[0].bytes, bytes);
    QCOMPARE(loads[0].us, 40.0);
    QCOMPARE(loads[0].busyShare, 0.75);                           // until 30 us
    QCOMPARE(*loads[0].warpsShare, (100 * 10 + 300 * 30) / 40e3); // of 1,000
    QCOMPARE(loads[0].flopsPerSecond(), 3 * conv / 40e-6);
    QCOMPARE(loads[1].us, 5.0);
    QCOMPARE(*loads[1].warpsShare, 0.05);
    QVERIFY(loads[0].isCosted && loads[1].isCosted);
}

void TestStageLoads::stageLoads_withoutCounter_haveNoWarps()
{
    const Sample sample = makeSample();
    Timeline timeline = timelineOf(sample);
    timeline.counters.clear();
    const TimelineIndex index(std::make_shared<const Timeline>(std::move(timeline)));
    QVERIFY(!stageLoads(index, *sample.graph, operatorsOf(sample)).front().warpsShare);
}

void TestStageLoads::roof_atIntensities_isTheLowerOfBoth()
{
    const DeviceRoof roof{15e12, 900e9};
    QCOMPARE(roof.ridge(), 15e12 / 900e9);
    QCOMPARE(roof.at(1), 900e9);
    QCOMPARE(roof.at(roof.ridge() * 2), 15e12);
}

void TestStageLoads::roof_ofATimelineWithoutMaxima_isNotKnown()
{
    const Sample sample = makeSample();
    Timeline timeline = timelineOf(sample);
    QVERIFY(roofOf(timeline).isKnown());
    timeline.counters.pop_back();
    const DeviceRoof roof = roofOf(timeline);
    QVERIFY(!roof.isKnown());
    QCOMPARE(roof.at(3), 0.0);
    QCOMPARE(leastUs(*sample.graph, roof), 0.0);
    QVERIFY(!roofShare({.us = 1, .flops = 1, .bytes = 1}, roof));
}

void TestStageLoads::roofShare_isOfTheNearerRoof()
{
    const DeviceRoof roof{2e9, 1e9};
    const auto arithmetic = roofShare({.us = 1e6, .flops = 1e9, .bytes = 1e6}, roof);
    QVERIFY(arithmetic && arithmetic->limit == RoofLimit::Arithmetic);
    QCOMPARE(arithmetic->share, 0.5);
    const auto memory = roofShare({.us = 1e6, .flops = 1e6, .bytes = 0.25e9}, roof);
    QVERIFY(memory && memory->limit == RoofLimit::Memory);
    QCOMPARE(memory->share, 0.25);
    QVERIFY(!roofShare({.us = 0, .flops = 1, .bytes = 1}, roof));
}

void TestStageLoads::leastUs_isWorkOrTrafficAtThePeak()
{
    const Sample sample = makeSample();
    double work = 0;
    for (std::size_t i = 0; i < sample.graph->size(); ++i)
        work += flops(*sample.graph, OperatorId::fromIndex(i));
    QCOMPARE(leastUs(*sample.graph, {1e9, 1e15}), work / 1e9 * 1e6);
    // Memory limits: input 16x8x8, output 32x8x8, and weights are read or written once.
    const auto traffic = static_cast<double>(weightTotals(*sample.graph).bytes + 4 * (16 + 32) * 64);
    QCOMPARE(leastUs(*sample.graph, {1e18, 1e9}), traffic / 1e9 * 1e6);
}

STAGECRAFT_SUITE(TestStageLoads)

} // namespace tst_stage_loads
#include "tst_stage_loads.moc"
