#include "cpu/lane_team.h"
#include "cpu/memory_plan.h"

#include <QTest>

#include <atomic>
#include <omp.h>
#include <random>

using namespace stagecraft::cpu;

class TestMemoryPlan : public QObject {
    Q_OBJECT

private slots:
    void planMemory_randomLives_neverOverlapWhileLive();
    void planMemory_chain_reusesTwoBuffers();
    void laneWidths_groupsAndCores_divideAllCores_data();
    void laneWidths_groupsAndCores_divideAllCores();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth_data();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth();
};

void TestMemoryPlan::planMemory_randomLives_neverOverlapWhileLive()
{
    std::minstd_rand random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<BufferLife> lives(1 + random() % 60);
        std::size_t sum = 0;
        for (BufferLife &life : lives) {
            life.bytes = random() % 5000;
            life.firstStage = random() % 20;
            life.lastStage = life.firstStage + random() % 6;
            sum += life.bytes + kBufferAlignment;
        }
        const MemoryPlan plan = planMemory(lives);
        QVERIFY(plan.bytes <= sum);
        for (std::size_t a = 0; a < lives.size(); ++a) {
            QCOMPARE(plan.offsets[a] % kBufferAlignment, std::size_t{0});
            QVERIFY(plan.offsets[a] + lives[a].bytes <= plan.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    lives[a].firstStage <= lives[b].lastStage && lives[b].firstStage <= lives[a].lastStage;
                const bool apart = plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                                   plan.offsets[b] + lives[b].bytes <= plan.offsets[a];
                QVERIFY(!together || apart);
            }
        }
    }
}

void TestMemoryPlan::planMemory_chain_reusesTwoBuffers()
{
    std::vector<BufferLife> lives;
    for (std::size_t stage = 0; stage < 10; ++stage)
        lives.push_back({1024, stage, stage + 1}); // written in one stage, read in the next
    QCOMPARE(planMemory(lives).bytes, std::size_t{2048});
}

void TestMemoryPlan::laneWidths_groupsAndCores_divideAllCores_data()
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

void TestMemoryPlan::laneWidths_groupsAndCores_divideAllCores()
{
    QFETCH(int, groups);
    QFETCH(int, cores);
    QFETCH(QList<int>, widths);
    const std::vector<int> dealt = laneWidths(static_cast<std::size_t>(groups), cores);
    QCOMPARE(QList<int>(dealt.begin(), dealt.end()), widths);
}

void TestMemoryPlan::run_anyWidths_runsEveryLaneOnceWithItsWidth_data()
{
    QTest::addColumn<QList<int>>("widths");
    QTest::newRow("one wide lane") << QList<int>{2};
    QTest::newRow("narrow lanes") << QList<int>{1, 1};
    QTest::newRow("wide lanes") << QList<int>{2, 1};
    QTest::newRow("four lanes") << QList<int>{2, 2, 1, 1};
}

void TestMemoryPlan::run_anyWidths_runsEveryLaneOnceWithItsWidth()
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

QTEST_GUILESS_MAIN(TestMemoryPlan)
#include "tst_memory_plan.moc"
