// Where the time of a stage goes, against numbers worked out by hand, and against the simulated device.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "search/stages/baselines.h"
#include "support/counter_making.h"
#include "support/graph_making.h"
#include "support/suite.h"
#include "timing/timeline/time_parts.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_time_parts {

namespace {

KernelSpan kernel(std::int64_t startNs, std::int64_t endNs)
{
    KernelSpan span;
    span.startNs = startNs;
    span.endNs = endNs;
    return span;
}

// A stage of 10 us: 1 without a kernel, 4 and 4 with different counters, 1 without a kernel.
Timeline tenMicroseconds()
{
    Timeline timeline;
    timeline.durationNs = 10000;
    timeline.stages = {{0, 0, 10000}};
    timeline.kernels = {kernel(1000, 6000), kernel(4000, 9000)};
    timeline.counters = {counter("FLOP/s", 100, {1000, 5000}, {50, 10}),
                         counter("DRAM bandwidth", 200, {1000, 5000}, {20, 60}),
                         counter("SM active", 100, {1000, 5000}, {75, 100})};
    return timeline;
}

bool areNear(const TimeParts &parts, const std::array<double, kTimeParts> &us)
{
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        if (std::abs(parts.us[i] - us[i]) > 1e-9)
            return false;
    }
    return true;
}

} // namespace

class TestTimeParts : public QObject {
    Q_OBJECT

private slots:
    void timeParts_twoPhases_areThoseOfTheirCounters();
    void timeParts_withoutCounters_tellRunningFromLaunches();
    void knownUs_withoutStarts_isOnlyWhatIsNotExplained();
    void timeParts_noBusySm_isLaunch();
    void timeParts_coresOfACpu_areUnits();
    void timeParts_counterWithoutMaximum_isUnknown();
    void timeParts_ofASimulation_addUpToItsStages();
    void timelineParts_betweenStages_isNoPartOfThem();
    void timelineParts_withoutStages_gapsAreLaunches();
    void timelineParts_overlappingStages_countTimeOnce();
    void timelineParts_withoutKernels_explainNothing();
    void timeSteps_goFromOneTotalToTheOther();
};

void TestTimeParts::timeParts_twoPhases_areThoseOfTheirCounters()
{
    const Timeline timeline = tenMicroseconds();
    const auto parts = timeParts(timeline);
    QCOMPARE(parts.size(), std::size_t{1});
    // 4 us: half of peak, a quarter of the SMs idle, the rest waits. 4 us: 30 % of the bandwidth, all SMs busy.
    QVERIFY(areNear(parts[0], {2.0, 1.2, 1.0 + 2.8, 1.0, 2.0, 0, 0}));
    const TimePartSources sources = timePartSources(timeline);
    QVERIFY(sources.arithmetic && sources.memory && sources.units && !sources.areCores);
}

void TestTimeParts::timeParts_withoutCounters_tellRunningFromLaunches()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters.clear();
    QVERIFY(areNear(timeParts(timeline)[0], {0, 0, 0, 0, 2, 0, 8}));
    QVERIFY(!timePartSources(timeline).has(TimePart::Arithmetic));
    QVERIFY(!timePartSources(timeline).has(TimePart::IdleUnits));
    QVERIFY(!timePartSources(timeline).has(TimePart::Waiting));
    QVERIFY(timePartSources(timeline).has(TimePart::NotExplained));
    QVERIFY(timePartSources(timeline).has(TimePart::Launch));
}

// Layers that a profile has times of, but no starts: nothing says when none ran.
void TestTimeParts::knownUs_withoutStarts_isOnlyWhatIsNotExplained()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters.clear();
    timeline.kernels = {timeline.kernels.front()};
    timeline.kernels.front().startNs = 0;
    timeline.kernels.front().endNs = timeline.durationNs;
    const TimeParts parts = timeParts(timeline)[0];
    QCOMPARE(knownUs(parts, timePartSources(timeline), TimePart::Launch), std::optional(0.0));
    QCOMPARE(knownUs(parts, timePartSources(timeline), TimePart::BetweenStages), std::optional(0.0));
    timeline.areStartsKnown = false;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        const auto us = knownUs(parts, timePartSources(timeline), part);
        QCOMPARE(us, part == TimePart::NotExplained ? std::optional(10.0) : std::nullopt);
    }
}

void TestTimeParts::timeParts_noBusySm_isLaunch()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters = {counter("SM active", 100, {0, 3000}, {0, 40})}; // the first kernel ramps up
    QVERIFY(areNear(timeParts(timeline)[0], {0, 0, 0, 6 * 0.6, 4, 0, 6 * 0.4}));
}

void TestTimeParts::timeParts_coresOfACpu_areUnits()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters = {counter("threads given to operators", 4, {0}, {1})};
    QVERIFY(areNear(timeParts(timeline)[0], {0, 0, 0, 6, 2, 0, 2}));
    QVERIFY(timePartSources(timeline).areCores);
    QCOMPARE(timePartKey(TimePart::IdleUnits, timePartSources(timeline)), std::string_view("idle_cores"));
}

void TestTimeParts::timeParts_counterWithoutMaximum_isUnknown()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters = {counter("FLOP/s", 0, {0}, {50})};
    QVERIFY(areNear(timeParts(timeline)[0], {0, 0, 0, 0, 2, 0, 8}));
    QVERIFY(!timePartSources(timeline).arithmetic);
}

void TestTimeParts::timeParts_ofASimulation_addUpToItsStages()
{
    const SourceGraph source = take(builtInNetwork("squeezenet"));
    const auto graph = std::make_shared<const Graph>(source.graph);
    const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
    const auto timeline = session->timeline(greedySchedule(*graph, source.blocks), {});
    QVERIFY(timeline);
    const auto parts = timeParts(*timeline);
    QCOMPARE(parts.size(), timeline->stages.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const StageSpan &stage = timeline->stages[i];
        QVERIFY(std::abs(parts[i].totalUs() - static_cast<double>(stage.endNs - stage.startNs) / 1000) < 1e-6);
        for (const double us : parts[i].us)
            QVERIFY(us >= 0);
        QVERIFY(parts[i].of(TimePart::Launch) > 0); // at least the launch of its first kernel
    }
}

// Two stages of 4 us with 2 us between them, 1 us before and 3 us after; a kernel in each, and one behind them.
void TestTimeParts::timelineParts_betweenStages_isNoPartOfThem()
{
    Timeline timeline;
    timeline.durationNs = 14000;
    timeline.stages = {{0, 1000, 5000}, {1, 7000, 11000}};
    timeline.kernels = {kernel(2000, 5000), kernel(7000, 11000), kernel(12000, 13000)};
    const TimelineParts parts = timelineParts(timeline);
    QCOMPARE(parts.stages.size(), std::size_t{2});
    QCOMPARE(parts.between.size(), std::size_t{3});
    QVERIFY(areNear(parts.stages[0], {0, 0, 0, 0, 1, 0, 3}));
    QVERIFY(areNear(parts.stages[1], {0, 0, 0, 0, 0, 0, 4}));
    QVERIFY(areNear(parts.between[0], {0, 0, 0, 0, 0, 1, 0}));
    QVERIFY(areNear(parts.between[1], {0, 0, 0, 0, 0, 2, 0}));
    QVERIFY(areNear(parts.between[2], {0, 0, 0, 0, 0, 2, 1}));
}

// As other programs' profiles may be: kernels on streams, and nothing about stages.
void TestTimeParts::timelineParts_withoutStages_gapsAreLaunches()
{
    Timeline timeline = tenMicroseconds();
    timeline.stages.clear();
    timeline.counters.clear();
    const TimelineParts parts = timelineParts(timeline);
    QVERIFY(parts.stages.empty());
    QCOMPARE(parts.between.size(), std::size_t{1});
    QVERIFY(areNear(parts.between[0], {0, 0, 0, 0, 2, 0, 8}));
}

void TestTimeParts::timelineParts_overlappingStages_countTimeOnce()
{
    Timeline timeline = tenMicroseconds();
    timeline.counters.clear();
    timeline.stages = {{0, 0, 6000}, {1, 4000, 10000}, {2, 3000, 5000}};
    const TimelineParts parts = timelineParts(timeline);
    QVERIFY(areNear(parts.stages[0], {0, 0, 0, 0, 1, 0, 5}));
    QVERIFY(areNear(parts.stages[1], {0, 0, 0, 0, 1, 0, 3}));
    QVERIFY(areNear(parts.stages[2], {}));
    for (const TimeParts &between : parts.between)
        QVERIFY(areNear(between, {}));
}

void TestTimeParts::timelineParts_withoutKernels_explainNothing()
{
    Timeline timeline;
    timeline.durationNs = 9000;
    timeline.stages = {{0, 0, 5000}, {1, 5000, 9000}};
    const TimelineParts parts = timelineParts(timeline);
    QVERIFY(areNear(parts.stages[0], {0, 0, 0, 0, 0, 0, 5}));
    QVERIFY(areNear(parts.stages[1], {0, 0, 0, 0, 0, 0, 4}));
}

void TestTimeParts::timeSteps_goFromOneTotalToTheOther()
{
    const TimeParts from{{4, 2, 0, 3, 1, 0, 0.5}};
    const TimeParts to{{3, 2, 0, 1, 1.5, 0.7, 0}};
    const std::vector<TimeStep> steps = timeSteps(from, to);
    QCOMPARE(steps.size(), std::size_t{6}); // neither waits
    QCOMPARE(steps.front().fromUs, from.totalUs());
    QCOMPARE(steps.back().toUs, to.totalUs());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QVERIFY(std::abs(steps[i].changeUs() - (to.of(steps[i].part) - from.of(steps[i].part))) < 1e-12);
        QVERIFY(i == 0 || steps[i].fromUs == steps[i - 1].toUs);
    }
    QCOMPARE(timePartText(steps[2].part, {.areCores = true}), std::string_view("idle cores"));
    QCOMPARE(timePartKey(steps[4].part, {}), std::string_view("between_stages"));
}

STAGECRAFT_SUITE(TestTimeParts)

} // namespace tst_time_parts
#include "tst_time_parts.moc"
