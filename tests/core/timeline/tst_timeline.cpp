#include "timeline/timeline.h"

#include <QTest>

using namespace stagecraft;

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
};

QTEST_GUILESS_MAIN(TestTimeline)
#include "tst_timeline.moc"
