#include "device/executing/adaptive_measurement.h"
#include "support/suite.h"

#include <QTest>

#include <random>
#include <thread>

using namespace stagecraft;

namespace tst_adaptive_measurement {

class TestAdaptiveMeasurement : public QObject {
    Q_OBJECT

private slots:
    void measure_steadyTiming_stopsAtMinRepeat();
    void measure_shortRuns_areTakenTogether();
    void measure_noise_repeatsUntilTheIntervalFits();
    void measure_interference_isSetAside();
    void measure_budget_endsTheRepeats();
    void measure_failingRun_isHandedOn();
    void measure_stopRequested_isCancelled();
    void measure_clocks_haveTheMiddleReading();
    void measure_clocks_areReadAfterTheWarmup();
    void measure_clocksUnknown_stayUnknown();
};

void TestAdaptiveMeasurement::measure_steadyTiming_stopsAtMinRepeat()
{
    int calls = 0;
    const auto sample = measureAdaptively([&](int number) { return ++calls, Result<double>(100.0 * number); }, {}, {});
    QVERIFY(sample);
    QCOMPARE(sample->latencyUs, 100.0);
    QCOMPARE(sample->stddevUs, 0.0);
    QCOMPARE(sample->runs, MeasurementOptions{}.minRepeat);
    QCOMPARE(calls, MeasurementOptions{}.warmup + MeasurementOptions{}.minRepeat);
}

void TestAdaptiveMeasurement::measure_shortRuns_areTakenTogether()
{
    std::vector<int> numbers;
    const auto sample = measureAdaptively(
        [&](int number) { return numbers.push_back(number), Result<double>(2.0 * number); }, {.minSampleUs = 50}, {});
    QCOMPARE(sample->latencyUs, 2.0);
    QCOMPARE(numbers.back(), 25);
    QCOMPARE(sample->runs, 25 * MeasurementOptions{}.minRepeat);
}

void TestAdaptiveMeasurement::measure_noise_repeatsUntilTheIntervalFits()
{
    std::mt19937 random(5);
    std::normal_distribution<double> noise(100, 3);
    const auto with = [&](double interval) {
        return measureAdaptively(
            [&](int) { return Result<double>(noise(random)); },
            {.maxRepeat = 100000, .relativeInterval = interval, .budget = std::chrono::seconds(20)}, {});
    };
    const auto rough = with(0.02);
    const auto fine = with(0.002);
    QVERIFY(rough->runs < 60);
    QVERIFY2(fine->runs > 400 && fine->runs < 3000, qPrintable(QString::number(fine->runs)));
    QVERIFY(std::abs(fine->meanUs - 100) < 1);
}

void TestAdaptiveMeasurement::measure_interference_isSetAside()
{
    int calls = 0;
    const auto sample =
        measureAdaptively([&](int) { return Result<double>(++calls % 5 == 0 ? 900.0 : 100.0 + calls % 3); },
                          {.relativeInterval = 0.01}, {});
    QVERIFY(sample->meanUs < 103);
    QVERIFY(sample->runs >= MeasurementOptions{}.minRepeat); // discarded samples were measured again
    QVERIFY(calls > sample->runs + MeasurementOptions{}.warmup);
}

void TestAdaptiveMeasurement::measure_budget_endsTheRepeats()
{
    std::mt19937 random(5);
    int calls = 0;
    const auto sample = measureAdaptively(
        [&](int) {
            ++calls;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return Result<double>(50.0 + random() % 100);
        },
        {.maxRepeat = 1000000, .relativeInterval = 1e-9, .budget = std::chrono::milliseconds(50)}, {});
    QVERIFY(sample);
    // A run takes at least a millisecond, so 50 use up the budget.
    QVERIFY2(calls <= MeasurementOptions{}.warmup + MeasurementOptions{}.minRepeat + 50,
             qPrintable(QString::number(calls)));
}

void TestAdaptiveMeasurement::measure_failingRun_isHandedOn()
{
    const auto sample =
        measureAdaptively([](int) { return Result<double>(fail(ErrorCode::DeviceFailed, "broken")); }, {}, {});
    QVERIFY(!sample && sample.error().message == "broken");
}

void TestAdaptiveMeasurement::measure_stopRequested_isCancelled()
{
    std::stop_source stop;
    int calls = 0;
    const auto sample = measureAdaptively(
        [&](int) {
            if (++calls == 5)
                stop.request_stop();
            return Result<double>(100.0);
        },
        {}, stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
    QCOMPARE(calls, 5);
}

// Runs of three times the interval between readings: one reading before, one after each, one more at the end.
void TestAdaptiveMeasurement::measure_clocks_haveTheMiddleReading()
{
    const std::vector<ClockRates> told{{1200, 2600}, {1980, 0}, {1980, 2619}, {1755, 2619}, {1755, 2619}};
    std::size_t next = 0;
    const auto sample = measureAdaptively(
        [](int) {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            return Result<double>(100.0);
        },
        {.warmup = 1, .minRepeat = 3, .clocks = [&] { return told.at(next++); }}, {});
    QVERIFY(sample);
    QCOMPARE(next, told.size());
    QVERIFY(sample->clocks == (ClockRates{1755, 2619})); // medians of 1200 1755 1755 1980 1980 and 2600 2619 2619 2619
}

void TestAdaptiveMeasurement::measure_clocks_areReadAfterTheWarmup()
{
    int runs = 0;
    int readings = 0;
    int runsAtFirst = -1;
    const auto sample = measureAdaptively([&](int) { return ++runs, Result<double>(100.0); },
                                          {.warmup = 4,
                                           .clocks =
                                               [&] {
                                                   if (readings++ == 0)
                                                       runsAtFirst = runs;
                                                   return ClockRates{1410 - readings, 0};
                                               }},
                                          {});
    QVERIFY(sample);
    QCOMPARE(runsAtFirst, 4);
    QVERIFY(readings >= 2);
    QVERIFY(readings > 2 || sample->clocks.coreMhz == 1408); // the lower of two, not their mean
    QCOMPARE(sample->clocks.memoryMhz, 0);
}

void TestAdaptiveMeasurement::measure_clocksUnknown_stayUnknown()
{
    const auto run = [](int) { return Result<double>(100.0); };
    QVERIFY(!measureAdaptively(run, {}, {})->clocks.isKnown());
    QVERIFY(!measureAdaptively(run, {.clocks = [] { return ClockRates(); }}, {})->clocks.isKnown());
    QCOMPARE(toString(ClockRates()), std::string());
    QCOMPARE(toString(ClockRates{1980, 2619}), std::string("1980 MHz, memory 2619 MHz"));
    QCOMPARE(toString(ClockRates{3100, 0}), std::string("3100 MHz"));
    QCOMPARE(toString(ClockRates{1500, 0, "power limit"}), std::string("1500 MHz, slowed by power limit"));
}

STAGECRAFT_SUITE(TestAdaptiveMeasurement)

} // namespace tst_adaptive_measurement
#include "tst_adaptive_measurement.moc"
