// Why a schedule takes as long as it does: its parts add up to its latency, by stage and as a whole.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/compare/critical_path.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/schedule_time_parts.h"
#include "schedule/compare/stream_times.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_parts.h"
#include "search/stages/baselines.h"
#include "search/streams/relaxed.h"
#include "support/schedule_making.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>
#include <memory>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_schedule_time_parts {

class TestScheduleTimeParts : public QObject {
    Q_OBJECT

private slots:
    void parts_ofSimulatedSchedules_addUpToTheLatency_data();
    void parts_ofSimulatedSchedules_addUpToTheLatency();
    void parts_ofStreams_areOfTheirLaunches_data();
    void parts_ofStreams_areOfTheirLaunches();
    void difference_stagesAndStreams_hasCommonCuts_data();
    void difference_stagesAndStreams_hasCommonCuts();
    void difference_oneEventMore_isADifference();
    void difference_streamsWithoutTimeline_hasNoTimes();
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
namespace {

struct Relaxed {
    SourceGraph source;
    std::shared_ptr<const Graph> graph;
    std::vector<TimedSchedule> schedules; // Sequential, Greedy, and Greedy without barriers
    std::vector<std::unique_ptr<TimelineIndex>> timelines;
};

Relaxed relaxed(const std::string &network, const std::string &device)
{
    Relaxed made{take(builtInNetwork(network)), nullptr, {}, {}};
    made.graph = std::make_shared<const Graph>(made.source.graph);
    const auto session = take(take(openSimulatedDevice(device))->open(made.graph));
    const Schedule greedy = greedySchedule(*made.graph, made.source.blocks);
    for (const Schedule &schedule : {Schedule(sequentialSchedule(*made.graph, made.source.blocks)), greedy,
                                     Schedule{.streams = relaxedStreams(*made.graph, greedy.stages)}}) {
        TimedSchedule timed{schedule, {}, {}, {}};
        const auto measured = take(session->measureSchedule(timed, {}));
        timed.measured.whole = measured.whole.timing;
        timed.measured.provenance = Provenance::Simulated;
        for (const StageLatency &stage : measured.stages)
            timed.measured.stages.push_back(stage.timing);
        made.timelines.push_back(
            std::make_unique<TimelineIndex>(std::make_shared<const Timeline>(take(session->timeline(timed, {})))));
        made.schedules.push_back(std::move(timed));
    }
    return made;
}

ScheduleDifference differenceOf(const Relaxed &made, bool hasTimelines = true)
{
    std::vector<const TimedSchedule *> all;
    std::vector<const TimelineIndex *> timelines;
    for (std::size_t i = 0; i < made.schedules.size(); ++i) {
        all.push_back(&made.schedules[i]);
        timelines.push_back(hasTimelines ? made.timelines[i].get() : nullptr);
    }
    return scheduleDifference(all, timelines, made.source.blocks);
}

void addNetworks()
{
    QTest::addColumn<std::string>("network");
    QTest::addColumn<std::string>("device");
    for (const char *network : {"sample", "googlenet", "inception_v3", "randwire", "nasnet"}) {
        for (const char *device : {"v100", "a100"})
            QTest::addRow("%s, %s", network, device) << std::string(network) << std::string(device);
    }
}

} // namespace

void TestScheduleTimeParts::parts_ofStreams_areOfTheirLaunches_data()
{
    addNetworks();
}

void TestScheduleTimeParts::parts_ofStreams_areOfTheirLaunches()
{
    QFETCH(const std::string, network);
    QFETCH(const std::string, device);
    const Relaxed made = relaxed(network, device);
    const TimedSchedule &schedule = made.schedules.back();
    const auto parts = scheduleTimeParts(schedule, *made.timelines.back());
    QVERIFY(parts && parts->areStagesKnown);
    QCOMPARE(parts->stages.size(), schedule.streams->launches.size());
    QCOMPARE(parts->whole.totalUs(), *schedule.latencyUs());
    const auto times = streamTimes(*schedule.streams, made.timelines.back()->timeline());
    QVERIFY(times);
    double sumUs = 0;
    for (std::size_t i = 0; i < parts->stages.size(); ++i) {
        sumUs += times->us[i];
        QVERIFY(std::abs(parts->stages[i].totalUs() - times->us[i]) < 1e-6);
        QCOMPARE(parts->beforeStages[i].totalUs(), 0.0); // they follow each other at once
        QVERIFY(times->readyUs[i] >= times->freeUs[i]);
        QVERIFY(!schedule.streams->launches[i].waits.empty() || times->readyUs[i] == times->freeUs[i]);
    }
    const std::size_t all = times->us.size();
    QVERIFY(times->eventUs(0, all) > 0 || network == "sample");
    QVERIFY(times->eventUs(all / 2, all) <= times->eventUs(0, all));
    QVERIFY(sumUs <= *schedule.latencyUs() + 1e-6 && sumUs > 0.9 * *schedule.latencyUs());
}

void TestScheduleTimeParts::difference_stagesAndStreams_hasCommonCuts_data()
{
    addNetworks();
}

void TestScheduleTimeParts::difference_stagesAndStreams_hasCommonCuts()
{
    QFETCH(const std::string, network);
    QFETCH(const std::string, device);
    const Relaxed made = relaxed(network, device);
    ScheduleDifference difference = differenceOf(made);
    std::vector<double> operatorUs = operatorLatenciesUs(*made.graph, made.schedules.front());
    QVERIFY(!operatorUs.empty());
    addLongestPaths(difference, *made.graph, made.schedules.front(), operatorUs);
    std::vector<std::size_t> next(made.schedules.size(), 0);
    std::vector<double> sumUs(made.schedules.size(), 0);
    std::size_t spans = 0;
    for (const BlockDifference &block : difference.blocks) {
        for (const SpanDifference &part : block.spans) {
            ++spans;
            std::vector<std::set<OperatorId>> operators(made.schedules.size());
            for (std::size_t side = 0; side < made.schedules.size(); ++side) {
                const StageRange range = part.span.sides[side];
                QCOMPARE(range.first, next[side]);
                next[side] = range.end();
                sumUs[side] += *part.us[side];
                const TimedSchedule &schedule = made.schedules[side];
                const auto stages = schedule.streams ? launchesAsStages(*schedule.streams) : schedule.stages;
                for (std::size_t i = range.first; i < range.end(); ++i) {
                    for (const OperatorId id : operatorsOf(stages[i]))
                        operators[side].insert(id);
                }
                QCOMPARE(operators[side], operators.front());
            }
            QVERIFY(!part.span.isEqual); // a launch is not a stage
            QVERIFY(!part.eventUs[0] && !part.eventUs[1] && part.eventUs[2]);
            QVERIFY(*part.pathUs > 0 && *part.pathUs <= *part.us[0] + 1e-6);
        }
    }
    QVERIFY(spans > 1);
    for (std::size_t side = 0; side < made.schedules.size(); ++side) {
        const TimedSchedule &schedule = made.schedules[side];
        QCOMPARE(next[side], schedule.streams ? schedule.streams->launches.size() : schedule.stages.size());
        QVERIFY(std::abs(sumUs[side] + *difference.betweenStagesUs[side] - *schedule.latencyUs()) < 1e-6);
    }
    QVERIFY(difference.areBarriersKnown());
    QCOMPARE(difference.betweenBlocks.us.back(), std::optional(0.0));
}

void TestScheduleTimeParts::difference_oneEventMore_isADifference()
{
    const Relaxed made = relaxed("googlenet", "v100");
    TimedSchedule other = made.schedules.back();
    auto &launches = other.streams->launches;
    std::size_t last = launches.size() - 1;
    while (launches[last].stream == launches[last - 1].stream || !launches[last].waits.empty())
        --last;
    launches[last].waits.push_back(static_cast<std::uint32_t>(last) - 1);
    const std::vector<const TimedSchedule *> same{&made.schedules.back(), &made.schedules.back()};
    const std::vector<const TimedSchedule *> all{&made.schedules.back(), &other};
    const auto unequal = [](const ScheduleDifference &difference) {
        return std::ranges::count_if(difference.blocks, [](const BlockDifference &block) { return !block.isEqual(); });
    };
    QCOMPARE(unequal(scheduleDifference(same, {}, made.source.blocks)), 0);
    QCOMPARE(unequal(scheduleDifference(all, {}, made.source.blocks)), 1);
}

void TestScheduleTimeParts::difference_streamsWithoutTimeline_hasNoTimes()
{
    const ScheduleDifference difference = differenceOf(relaxed("sample", "v100"), false);
    QVERIFY(difference.wholeUs[2] && !difference.betweenStagesUs[2]);
    for (const BlockDifference &block : difference.blocks)
        QVERIFY(block.us[0] && block.us[1] && !block.us[2]);
}

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
