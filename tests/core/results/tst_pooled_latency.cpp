// The latency of a result: which measurements count, how they are pooled, and the width of its interval.

#include "core/results/result_making.h"
#include "support/suite.h"
#include "timing/statistics/students_t.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pooled_latency {

class TestPooledLatency : public QObject {
    Q_OBJECT

private slots:
    void pooled_nothing_isNone();
    void pooled_oneExact_isItToTheLastDigit();
    void pooled_oneMeasured_hasTheIntervalOfItsMean();
    void pooled_several_areWeightedByRuns();
    void pooled_thatDisagree_widenTheInterval();
    void pooled_rounds_goBeforeAloneAndSums();
    void pooled_disturbed_countsWhereNothingBetterIs();
    void measurementOf_aSumOfStages_saysSo();
};

void TestPooledLatency::pooled_nothing_isNone()
{
    QVERIFY(!pooled({}));
    QVERIFY(!measurementOf(TimedSchedule(), 0));
}

void TestPooledLatency::pooled_oneExact_isItToTheLastDigit()
{
    const double us = 4032.1234567891;
    for (const std::size_t times : {1, 2, 3}) {
        const std::vector<Measurement> measurements(times, {MeasuredHow::Alone, Timing::ofLatency(us)});
        const auto latency = pooled(measurements);
        QCOMPARE(latency->us, us);
        QCOMPARE(latency->halfWidthUs, 0.0);
        QCOMPARE(latency->runs, 0);
    }
}

void TestPooledLatency::pooled_oneMeasured_hasTheIntervalOfItsMean()
{
    const std::vector measurements{measured(100, 4, 16)};
    const auto latency = pooled(measurements);
    QCOMPARE(latency->us, 100.0);
    const double halfWidthUs = studentsT(15) * 4 / std::sqrt(16) * std::sqrt(15.0 / 15);
    QVERIFY(std::abs(latency->halfWidthUs - halfWidthUs) < 1e-9);
    QCOMPARE(latency->runs, 16);
}

void TestPooledLatency::pooled_several_areWeightedByRuns()
{
    const std::vector measurements{measured(100, 1, 30), measured(110, 1, 10)};
    const auto latency = pooled(measurements);
    QCOMPARE(latency->us, 102.5);
    QCOMPARE(latency->runs, 40);
    QCOMPARE(latency->measurements, 2);
}

void TestPooledLatency::pooled_thatDisagree_widenTheInterval()
{
    const std::vector agree{measured(100, 1, 20), measured(100, 1, 20)};
    const std::vector disagree{measured(95, 1, 20), measured(105, 1, 20)};
    const std::vector one{measured(100, 1, 20)};
    QVERIFY(pooled(agree)->halfWidthUs < pooled(one)->halfWidthUs);
    QVERIFY(pooled(disagree)->halfWidthUs > 4 * pooled(agree)->halfWidthUs);
}

void TestPooledLatency::pooled_rounds_goBeforeAloneAndSums()
{
    std::vector measurements{measured(90, 1, 10, MeasuredHow::SumOfStages)};
    QVERIFY(pooled(measurements)->how == MeasuredHow::SumOfStages);
    measurements.push_back(measured(100, 1, 10));
    QCOMPARE(pooled(measurements)->us, 100.0);
    measurements.push_back(measured(120, 1, 8, MeasuredHow::InRounds));
    QCOMPARE(pooled(measurements)->us, 120.0);
    QVERIFY(pooled(measurements)->how == MeasuredHow::InRounds);
    QCOMPARE(pooled(measurements, MeasuredHow::Alone)->us, 100.0); // still available by kind
}

void TestPooledLatency::pooled_disturbed_countsWhereNothingBetterIs()
{
    std::vector measurements{measured(150, 60, 10)};
    QVERIFY(pooled(measurements)->isDisturbed);
    QCOMPARE(pooled(measurements)->us, 150.0);
    measurements.push_back(measured(100, 1, 10));
    QVERIFY(!pooled(measurements)->isDisturbed);
    QCOMPARE(pooled(measurements)->us, 100.0);
    measurements.push_back(measured(170, 80, 8, MeasuredHow::InRounds)); // drift affects all alike
    QCOMPARE(pooled(measurements)->us, 170.0);
    QVERIFY(!pooled(measurements)->isDisturbed);
}

void TestPooledLatency::measurementOf_aSumOfStages_saysSo()
{
    TimedSchedule schedule = *scheduleOf(2, 50);
    QVERIFY(measurementOf(schedule, 7)->how == MeasuredHow::Alone);
    QCOMPARE(measurementOf(schedule, 7)->atSeconds, std::int64_t{7});
    schedule.measured.how = MeasuredHow::SumOfStages;
    QVERIFY(measurementOf(schedule, 7)->how == MeasuredHow::SumOfStages);
}

STAGECRAFT_SUITE(TestPooledLatency)

} // namespace tst_pooled_latency
#include "tst_pooled_latency.moc"
