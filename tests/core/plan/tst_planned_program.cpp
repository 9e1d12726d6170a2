// Schedules as programs: legal ones pass with the memory that is planned for them, and every event that is taken away
// is found by its pair.

#include "plan/planned_program.h"

#include "plan/memory_use.h"
#include "plan/program_faults.h"
#include "plan/stream_plan.h"
#include "plan_cases.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/stream_parts.h"
#include "search/streams/relaxed.h"
#include "support/graph_making.h"
#include "support/program_making.h"
#include "support/random_streams.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::plan;
using namespace stagecraft::test;

namespace tst_planned_program {

namespace {

constexpr int kPlans = 1000;

// Merged or not, on one to four streams, with the events that are needed.
Streams streamsFor(const PlanCase &made, int round, std::mt19937 &random)
{
    return round % 3 == 0 ? withNeededEvents(*made.graph, relaxedStreams(*made.graph, made.stages))
                          : randomStreams(*made.graph, 1 + random() % 4, random);
}

Plan arrangedStages(const PlanCase &made, std::span<const Stage> stages)
{
    Plan arranged = take(planStages(*made.graph, made.tensors, stages, inputForm));
    arrangeArena(arranged);
    return arranged;
}

} // namespace

class TestPlannedProgram : public QObject {
    Q_OBJECT

private slots:
    void planned_stages_pass();
    void planned_barrierRemoved_isFound();
    void planned_streams_passAndAnyEventRemovedIsFound();
    void planned_memoryByLaunchOrderAlone_needsItsWaits();
};

void TestPlannedProgram::planned_stages_pass()
{
    std::minstd_rand cases(41);
    std::size_t sharing = 0;
    for (int round = 0; round < kPlans; ++round) {
        const PlanCase made = randomPlanCase(cases);
        const Plan arranged = arrangedStages(made, made.stages);
        const LaunchedProgram program = plannedProgram(*made.graph, {.stages = made.stages}, &arranged);
        QVERIFY(take(faultsOf(program)).empty());
        sharing += sharingPairs(program);
    }
    QVERIFY(sharing > kPlans);
}

// x -> a, b side by side -> c: without the barrier c may begin before b has ended.
void TestPlannedProgram::planned_barrierRemoved_isFound()
{
    GraphBuilder builder("barrier");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{x}}, 8)));
    (void)take(builder.add(conv("c", {{a, b}}, 8)));
    const Graph graph = take(builder.build());
    const auto id = [](std::size_t i) { return OperatorId::fromIndex(i); };
    const Schedule schedule{
        .stages = {{0, Strategy::Concurrent, {{id(0)}, {id(1)}}}, {0, Strategy::Concurrent, {{id(2)}}}}};
    const Plan arranged = take(plannedArena(graph, schedule, sizeof(float)));
    const LaunchedProgram program = plannedProgram(graph, schedule, &arranged);
    QVERIFY(take(faultsOf(program)).empty());
    const auto barrier = std::ranges::find_if(
        program.steps, [](const ProgramStep &step) { return std::holds_alternative<WaitForAll>(step); });
    const auto faults = take(faultsOf(withoutStep(program, static_cast<std::size_t>(barrier - program.steps.begin()))));
    QCOMPARE(faults.size(), std::size_t{1});
    QVERIFY(faults.front().kind == ProgramFaultKind::TensorRace);
    QVERIFY(faults.front().first == 1 && faults.front().second == 2);
}

void TestPlannedProgram::planned_streams_passAndAnyEventRemovedIsFound()
{
    std::minstd_rand cases(42);
    std::mt19937 random(42);
    std::size_t removed = 0;
    for (int round = 0; round < kPlans; ++round) {
        const PlanCase made = randomPlanCase(cases);
        const Streams streams = streamsFor(made, round, random);
        Plan arranged = take(planStreams(*made.graph, made.tensors, streams, inputForm));
        arrangeArena(arranged);
        for (const Plan *plan : {&std::as_const(arranged), static_cast<const Plan *>(nullptr)})
            QVERIFY(take(faultsOf(plannedProgram(*made.graph, {.streams = streams}, plan))).empty());
        for (std::uint32_t launch = 0; launch < streams.launches.size(); ++launch) {
            for (const std::uint32_t wait : streams.launches[launch].waits) {
                Streams without = streams;
                std::erase(without.launches[launch].waits, wait);
                const auto faults = take(faultsOf(plannedProgram(*made.graph, {.streams = without}, &arranged)));
                QCOMPARE(faults.size(), std::size_t{1});
                QVERIFY(faults.front().kind == ProgramFaultKind::TensorRace);
                QVERIFY(faults.front().first == wait && faults.front().second == launch);
                ++removed;
            }
        }
    }
    qInfo("%zu events removed", removed);
    QVERIFY(removed > kPlans);
}

// Memory that launch order alone keeps apart needs further waits on streams: each of them is found, too.
void TestPlannedProgram::planned_memoryByLaunchOrderAlone_needsItsWaits()
{
    std::minstd_rand cases(43);
    std::mt19937 random(43);
    std::size_t racing = 0;
    std::size_t removed = 0;
    std::size_t reused = 0;
    for (int round = 0; round < kPlans; ++round) {
        const PlanCase made = randomPlanCase(cases);
        const Streams streams = streamsFor(made, round, random);
        const Plan arranged = arrangedStages(made, launchesAsStages(streams));
        const LaunchedProgram program = plannedProgram(*made.graph, {.streams = streams}, &arranged);
        racing += take(faultsOf(program)).empty() ? 0 : 1;
        const ProgramWithWaits complete = withNeededWaits(program);
        QVERIFY(take(faultsOf(complete.program)).empty());
        for (const NeededWait &wait : complete.waits) {
            const auto faults = take(faultsOf(withoutStep(complete.program, wait.step)));
            QCOMPARE(faults.size(), std::size_t{1});
            QVERIFY(faults.front().first == wait.first && faults.front().second == wait.second);
            ++removed;
            reused += faults.front().kind == ProgramFaultKind::TensorRace ? 0 : 1;
        }
    }
    qInfo("%d of %d plans race on memory; %zu waits removed, %zu of them for memory", static_cast<int>(racing), kPlans,
          removed, reused);
    QVERIFY(racing > kPlans / 20 && reused > 100);
}

STAGECRAFT_SUITE(TestPlannedProgram)

} // namespace tst_planned_program
#include "tst_planned_program.moc"
