// Why a schedule takes as long as it does: its parts add up to its latency, by stage and as a whole.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/compare/schedule_time_parts.h"
#include "search/stages/baselines.h"
#include "support/schedule_making.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_schedule_time_parts {

class TestScheduleTimeParts : public QObject {
    Q_OBJECT

private slots:
    void parts_ofSimulatedSchedules_addUpToTheLatency_data();
    void parts_ofSimulatedSchedules_addUpToTheLatency();
    void parts_ofALongerTimeline_haveARestBelowZero();
    void parts_ofALatencyThatIsNotKnown_areNone();
};

void TestScheduleTimeParts::parts_ofSimulatedSchedules_addUpToTheLatency_data()
{
    QTest::addColumn<std::string>("network");
    for (const BuiltInNetwork &network : builtInNetworks())
        QTest::addRow("%s", std::string(network.name).c_str()) << std::string(network.name);
}

void TestScheduleTimeParts::parts_ofSimulatedSchedules_addUpToTheLatency()
{
    QFETCH(const std::string, network);
    const SourceGraph source = take(builtInNetwork(network));
    const auto graph = std::make_shared<const Graph>(source.graph);
    const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
    std::vector<ScheduleTimeParts> both;
    for (const Schedule &made : {sequentialSchedule(*graph, source.blocks), greedySchedule(*graph, source.blocks)}) {
        TimedSchedule schedule{made, {}, {}, {}};
        const auto measured = take(session->measureSchedule(schedule, {}));
        schedule.measured.whole = measured.whole.timing;
        const auto parts = scheduleTimeParts(
            schedule, TimelineIndex(std::make_shared<const Timeline>(take(session->timeline(schedule, {})))));
        QVERIFY(parts);
        QCOMPARE(parts->whole.totalUs(), *schedule.latencyUs());
        TimeParts sum;
        for (std::size_t i = 0; i < parts->stages.size(); ++i) {
            sum += parts->stages[i];
            sum += parts->beforeStages[i];
            QVERIFY(std::abs(parts->stages[i].totalUs() - measured.stages[i].timing.latencyUs) < 1e-6);
        }
        for (std::size_t part = 0; part < kTimeParts; ++part) {
            QVERIFY(parts->whole.us[part] >= 0);
            QVERIFY(std::abs(sum.us[part] - parts->whole.us[part]) < 1e-6);
        }
        QCOMPARE(parts->whole.of(TimePart::NotExplained), 0.0);
        QVERIFY(parts->whole.of(TimePart::Arithmetic) > 0);
        QVERIFY(parts->whole.of(TimePart::Launch) > 0);
        // Blocks, with what lies between their stages, and the barriers between blocks.
        TimeParts blocks;
        for (std::size_t first = 0; first < schedule.stages.size();) {
            std::size_t end = first;
            while (end < schedule.stages.size() && schedule.stages[end].block == schedule.stages[first].block)
                ++end;
            blocks += parts->of({first, end - first});
            blocks += parts->beforeStages[first];
            first = end;
        }
        QVERIFY(std::abs(blocks.totalUs() - parts->latencyUs) < 1e-6);
        both.push_back(*parts);
    }
    // One operator after another: nobody waits at a barrier.
    QCOMPARE(both[0].whole.of(TimePart::BetweenStages), 0.0);
    QVERIFY(both[1].whole.of(TimePart::BetweenStages) > 0 || both[1].stages.size() == both[0].stages.size());
    const auto steps = timeSteps(both[0].whole, both[1].whole);
    QCOMPARE(steps.front().fromUs, both[0].latencyUs);
    QCOMPARE(steps.back().toUs, both[1].latencyUs);
}

// The timeline of makeSample() takes 85 us.
void TestScheduleTimeParts::parts_ofALongerTimeline_haveARestBelowZero()
{
    const Sample sample = makeSample();
    for (const double latencyUs : {80.0, 85.0, 91.5}) {
        TimedSchedule schedule = *sample.schedule;
        schedule.measured.whole = Timing::ofLatency(latencyUs);
        const auto parts = scheduleTimeParts(schedule, *indexed(sample.timeline));
        QVERIFY(parts);
        QCOMPARE(parts->timelineUs, 85.0);
        QCOMPARE(parts->whole.totalUs(), latencyUs);
        TimeParts stages = parts->of({0, 4});
        QCOMPARE(stages.totalUs(), 85.0);
        QVERIFY(std::abs(parts->whole.of(TimePart::NotExplained) - stages.of(TimePart::NotExplained) -
                         (latencyUs - 85)) < 1e-9);
        QVERIFY(parts->has(TimePart::NotExplained) && parts->has(TimePart::IdleUnits));
        QVERIFY(!parts->has(TimePart::Arithmetic) && !parts->has(TimePart::BetweenStages));
    }
}

void TestScheduleTimeParts::parts_ofALatencyThatIsNotKnown_areNone()
{
    const Sample sample = makeSample();
    TimedSchedule schedule = *sample.schedule;
    schedule.measured.whole.reset();
    QVERIFY(!scheduleTimeParts(schedule, *indexed(sample.timeline)));
}

STAGECRAFT_SUITE(TestScheduleTimeParts)

} // namespace tst_schedule_time_parts
#include "tst_schedule_time_parts.moc"
