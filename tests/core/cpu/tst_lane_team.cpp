#include "cpu/lane_team.h"

#include <QTest>

#include <atomic>
#include <omp.h>

using namespace stagecraft::cpu;

class TestLaneTeam : public QObject {
    Q_OBJECT

private slots:
    void laneWidths_groupsAndCores_divideAllCores_data();
    void laneWidths_groupsAndCores_divideAllCores();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth_data();
    void run_anyWidths_runsEveryLaneOnceWithItsWidth();
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

QTEST_GUILESS_MAIN(TestLaneTeam)
#include "tst_lane_team.moc"
