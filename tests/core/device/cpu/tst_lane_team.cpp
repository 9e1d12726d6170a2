#include "device/cpu/lane_team.h"
#include "device/cpu/thread_affinity.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <atomic>
#include <omp.h>
#include <sched.h>
#include <set>

using namespace stagecraft::cpu;

namespace tst_lane_team {

class TestLaneTeam : public QObject {
    Q_OBJECT

private slots:
    void laneWidths_groupsAndCores_divideAllCores_data();
    void laneWidths_groupsAndCores_divideAllCores();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth_data();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth();
    void teamPlaced_whileItLives_everyThreadHasItsProcessor();
    void run_withinAnotherTeam_runsEveryLane();
    void run_wideLanes_stayOnTheirProcessors();
    void run_teamShrinksAndGrows_staysOnItsProcessors();
};

void TestLaneTeam::laneWidths_groupsAndCores_divideAllCores_data()
{
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("cores");
    QTest::addColumn<QList<int>>("widths");
    QTest::newRow("one group") << 1 << 2 << QList<int>{2};
    QTest::newRow("two on two") << 2 << 2 << QList<int>{1, 1};
    QTest::newRow("more groups than cores") << 5 << 2 << QList<int>{1, 1};
    QTest::newRow("remainder to the first") << 3 << 8 << QList<int>{3, 3, 2};
    QTest::newRow("one core") << 3 << 1 << QList<int>{1};
}

void TestLaneTeam::laneWidths_groupsAndCores_divideAllCores()
{
    QFETCH(int, groups);
    QFETCH(int, cores);
    QFETCH(QList<int>, widths);
    const std::vector<int> dealt = laneWidths(static_cast<std::size_t>(groups), cores);
    QCOMPARE(QList<int>(dealt.begin(), dealt.end()), widths);
}

void TestLaneTeam::run_anyWidths_runsEveryLaneOnceWithItsWidth_data()
{
    QTest::addColumn<QList<int>>("widths");
    QTest::newRow("one wide lane") << QList<int>{2};
    QTest::newRow("narrow lanes") << QList<int>{1, 1};
    QTest::newRow("wide lanes") << QList<int>{2, 1};
    QTest::newRow("four lanes") << QList<int>{2, 2, 1, 1};
}

void TestLaneTeam::run_anyWidths_runsEveryLaneOnceWithItsWidth()
{
    QFETCH(QList<int>, widths);
    const std::vector<int> dealt(widths.begin(), widths.end());
    LaneTeam team;
    for (int round = 0; round < 50; ++round) {
        std::vector<std::atomic<int>> calls(dealt.size());
        std::vector<int> seen(dealt.size(), 0);
        team.run(dealt, [&](std::size_t lane) {
            ++calls[lane];
            seen[lane] = omp_in_parallel() ? 1 : omp_get_max_threads();
        });
        for (std::size_t lane = 0; lane < dealt.size(); ++lane) {
            QCOMPARE(calls[lane].load(), 1);
            QCOMPARE(seen[lane], dealt[lane]);
        }
    }
}

void TestLaneTeam::teamPlaced_whileItLives_everyThreadHasItsProcessor()
{
    const std::vector<int> before = usableProcessors();
    if (before.size() < 2)
        QSKIP("there is one processor");
    const std::vector<int> wanted{before[1], before[0]};
    std::vector<std::vector<int>> seen(2);
    const auto look = [&] {
#pragma omp parallel num_threads(2)
        seen[static_cast<std::size_t>(omp_get_thread_num())] = usableProcessors();
    };
    {
        const TeamAffinity placed(wanted);
        look();
        QCOMPARE(seen, (std::vector<std::vector<int>>{{wanted[0]}, {wanted[1]}}));
    }
    look();
    QCOMPARE(seen, (std::vector<std::vector<int>>{before, before}));
}

// OpenMP gives a team within another one a single thread.
void TestLaneTeam::run_withinAnotherTeam_runsEveryLane()
{
    std::array<std::atomic<int>, 3> runs{};
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        LaneTeam team;
        team.run(std::vector<int>{1, 1, 1}, [&](std::size_t lane) { ++runs[lane]; });
    }
    for (const std::atomic<int> &count : runs)
        QCOMPARE(count.load(), 1);
}

void TestLaneTeam::run_wideLanes_stayOnTheirProcessors()
{
    const std::vector<int> usable = usableProcessors();
    if (usable.size() < 2)
        QSKIP("there is one processor");
    // As if there were four processors.
    LaneTeam team({usable[0], usable[1], usable[1], usable[0]});
    std::vector<int> seen(4, -1);
    team.run(std::vector<int>{2, 2}, [&](std::size_t lane) {
#pragma omp parallel
        seen[lane * 2 + static_cast<std::size_t>(omp_get_thread_num())] = sched_getcpu();
    });
    QCOMPARE(seen[2], usable[1]);
    QCOMPARE(seen[3], usable[0]);
    QCOMPARE(usableProcessors(), usable);
}

void TestLaneTeam::run_teamShrinksAndGrows_staysOnItsProcessors()
{
    const std::vector<int> usable = usableProcessors();
    if (usable.size() < 2)
        QSKIP("there is one processor");
    const std::vector<int> processors{usable[0], usable[1], usable[1]}; // as if there were three
    const TeamAffinity placed(processors);
    LaneTeam team(processors);
    std::vector<std::vector<int>> seen(3);
    const auto look = [&](std::size_t) {
#pragma omp parallel
        seen[static_cast<std::size_t>(omp_get_thread_num())] = usableProcessors();
    };
    team.run(std::vector{3}, look);
    std::atomic<int> threads = 0;
    team.run(std::vector{2, 1}, [&](std::size_t) {
#pragma omp parallel
        ++threads;
    });
    QCOMPARE(threads.load(), 3);
    seen.assign(3, {});
    team.run(std::vector{3}, look);
    QCOMPARE(seen, (std::vector<std::vector<int>>{{usable[0]}, {usable[1]}, {usable[1]}}));
}

STAGECRAFT_SUITE(TestLaneTeam)

} // namespace tst_lane_team
#include "tst_lane_team.moc"
