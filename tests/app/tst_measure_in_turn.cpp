#include "engine/measure_in_turn.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;

namespace {

// Answers with one latency after another, whatever it is asked for.
class Script : public DeviceSession {
public:
    explicit Script(std::vector<double> latenciesUs) : m_latenciesUs(std::move(latenciesUs)) {}

    Result<LatencySample> measureStage(const Stage &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "no stage is asked for");
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "stages are not asked for");
    }
    Result<LatencySample> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        m_asked.push_back(schedule.device);
        const double latencyUs = m_latenciesUs.at(m_asked.size() - 1);
        return LatencySample{latencyUs + 1000, latencyUs};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "no timeline is asked for");
    }

    [[nodiscard]] const std::vector<std::string> &asked() const { return m_asked; }

private:
    std::vector<double> m_latenciesUs;
    std::vector<std::string> m_asked;
};

std::vector<Schedule> twoSchedules()
{
    std::vector<Schedule> schedules(2);
    schedules[0].device = "first";
    schedules[1].device = "second";
    return schedules;
}

bool isNear(double a, double b)
{
    return std::abs(a - b) < 1e-3 * b;
}

} // namespace

class TestMeasureInTurn : public QObject {
    Q_OBJECT

private slots:
    // The machine takes twice as long from the second round on: the ratio does not.
    void drift_ofTheMachine_doesNotCount()
    {
        Script session({100, 80, 200, 160, 200, 160});
        const auto times = measureInTurn(twoSchedules(), session, 3, {});
        QVERIFY(times);
        QCOMPARE(session.asked(), (std::vector<std::string>{"first", "second", "first", "second", "first", "second"}));
        QCOMPARE(times->at(0).latencyUs, 200.0);
        QCOMPARE(times->at(1).latencyUs, 160.0);
        QVERIFY(times->at(0).speedup == 1 && times->at(0).low == 1 && times->at(0).high == 1);
        for (const double speedup : {times->at(1).speedup, times->at(1).low, times->at(1).high})
            QVERIFY2(isNear(speedup, 1.25), qPrintable(QString::number(speedup)));
    }

    // Ratios 1, 1.1, 1.21: their logarithms have the mean 0.09531 and the standard deviation 0.09531.
    void interval_ofThreeRounds_isStudents()
    {
        const auto times = comparedInTurn({{100, 100}, {110, 100}, {121, 100}});
        const double half = 4.303 * std::log(1.1) / std::sqrt(3.0);
        QVERIFY(isNear(times[1].speedup, 1.1));
        QVERIFY(isNear(times[1].low, 1.1 * std::exp(-half)) && isNear(times[1].high, 1.1 * std::exp(half)));
    }

    void interval_ofOneRound_isInfinite()
    {
        const auto times = comparedInTurn({{100, 50}});
        QVERIFY(times[1].speedup == 2 && times[1].low == 0 && std::isinf(times[1].high));
    }

    void stop_beforeTheEnd_isCancelled()
    {
        Script session({100, 80});
        std::stop_source stop;
        stop.request_stop();
        const auto times = measureInTurn(twoSchedules(), session, 3, stop.get_token());
        QVERIFY(!times && times.error().code == ErrorCode::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestMeasureInTurn)
#include "tst_measure_in_turn.moc"
