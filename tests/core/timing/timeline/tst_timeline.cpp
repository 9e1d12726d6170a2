#include "support/suite.h"
#include "timing/timeline/timeline.h"
#include "timing/timeline/timeline_rows.h"

#include <QTest>

using namespace stagecraft;

namespace tst_timeline {

class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void mean_ofStepFunction_weighsByTime()
    {
        const CounterSeries series{"active warps", "warps", "simulated", 64, {0, 10, 40}, {8, 16, 0}};
        QCOMPARE(mean(series, 100), (8.0 * 10 + 16.0 * 30) / 100);
    }

    void mean_startingLate_countsTheTimeBeforeAsZero()
    {
        const CounterSeries series{"active warps", "warps", "simulated", 64, {50}, {8}};
        QCOMPARE(mean(series, 100), 4.0);
    }

    void mean_endingBeforeTheLastStep_ignoresIt()
    {
        const CounterSeries series{"active warps", "warps", "simulated", 64, {0, 10}, {8, 1000}};
        QCOMPARE(mean(series, 10), 8.0);
    }

    void mean_ofNothing_isZero()
    {
        QCOMPARE(mean(CounterSeries{}, 0), 0.0);
        QCOMPARE(mean(CounterSeries{}, 10), 0.0);
    }

    void counter_byName_findsItOrNothing()
    {
        Timeline timeline;
        timeline.counters = {{"FLOP/s", "FLOP/s", "simulated", 0, {}, {}},
                             {"active warps", "warps", "simulated", 1, {}, {}}};
        QCOMPARE(timeline.counter("active warps"), &timeline.counters[1]);
        QCOMPARE(timeline.counter("power"), nullptr);
    }

    void rowsOf_kernelOnAGpu_isItsStream()
    {
        Timeline timeline;
        timeline.streams = 4;
        timeline.kernels.resize(2);
        for (KernelSpan &kernel : timeline.kernels) {
            kernel.operators = {OperatorId{1}};
            kernel.stream = 1;
            kernel.grid = {64, 1, 1};
            kernel.threadsPerBlock = 128;
        }
        QVERIFY(!hasThreadRows(timeline));
        QCOMPARE(rowsOf(timeline.kernels[0], timeline).first, std::size_t{1});
        QCOMPARE(rowsOf(timeline.kernels[0], timeline).count, std::size_t{1});
        QCOMPARE(runCount(timeline), std::size_t{2}); // kernels, although of one operator
    }

    void rowsOf_kernelOnACpu_areItsThreads_data()
    {
        QTest::addColumn<int>("given");
        QTest::addColumn<int>("rows");
        QTest::newRow("rowsOf_oneThread_isOne") << 1 << 1;
        QTest::newRow("rowsOf_threeThreads_areThree") << 3 << 3;
        QTest::newRow("rowsOf_moreThanThereAre_endWithTheLast") << 1000 << 3;
        QTest::newRow("rowsOf_none_isOne") << 0 << 1;
    }

    void rowsOf_kernelOnACpu_areItsThreads()
    {
        QFETCH(int, given);
        QFETCH(int, rows);
        Timeline timeline;
        timeline.streams = 4;
        KernelSpan &kernel = timeline.kernels.emplace_back();
        kernel.operators = {OperatorId{1}, OperatorId{2}};
        kernel.stream = 1;
        kernel.grid = {given, 1, 1};
        QVERIFY(hasThreadRows(timeline));
        QCOMPARE(rowsOf(kernel, timeline).first, std::size_t{1});
        QCOMPARE(rowsOf(kernel, timeline).count, static_cast<std::size_t>(rows));
        QCOMPARE(runCount(timeline), std::size_t{2}); // merged operators count once each
    }
};

STAGECRAFT_SUITE(TestTimeline)

} // namespace tst_timeline
#include "tst_timeline.moc"
