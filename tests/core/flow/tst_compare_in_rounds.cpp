#include "flow/find/replace_with_baseline.h"
#include "measure/rounds.h"
#include "support/suite.h"
#include "support/timing_making.h"
#include "timing/statistics/students_t.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;
using test::timingsOf;

namespace tst_compare_in_rounds {

namespace {

// Returns the given latencies one after another, whatever is requested.
class Script : public DeviceSession {
public:
    explicit Script(std::vector<double> latenciesUs) : m_latenciesUs(std::move(latenciesUs)) {}

    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "no stage is asked for");
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        m_asked.push_back(schedule.stages.size());
        const double latencyUs = m_latenciesUs.at(m_asked.size() - 1);
        return ScheduleLatency{{latencyUs, latencyUs + 1000}};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "no timeline is asked for");
    }

    [[nodiscard]] const std::vector<std::size_t> &asked() const { return m_asked; }

private:
    std::vector<double> m_latenciesUs;
    std::vector<std::size_t> m_asked; // schedules, by their number of stages
};

std::vector<Schedule> twoSchedules()
{
    return {{.stages = std::vector<Stage>(1), .layouts = {}}, {.stages = std::vector<Stage>(2), .layouts = {}}};
}

bool isNear(double a, double b)
{
    return std::abs(a - b) < 1e-3 * b;
}

} // namespace

class TestCompareInRounds : public QObject {
    Q_OBJECT

private slots:
    // The machine takes twice as long from the second round on; the ratio is unchanged.
    void drift_ofTheMachine_doesNotCount()
    {
        Script session({100, 80, 160, 200, 200, 160}); // A B B A A B
        const auto times = measureSchedulesInRounds(twoSchedules(), session, 3, {});
        QVERIFY(times);
        QCOMPARE(session.asked(), (std::vector<std::size_t>{1, 2, 2, 1, 1, 2}));
        const SpeedupEstimate &itself = times->at(0).against;
        const SpeedupEstimate &other = times->at(1).against;
        QVERIFY(itself.speedup == 1 && itself.low == 1 && itself.high == 1);
        for (const double speedup : {other.speedup, other.low, other.high})
            QVERIFY2(isNear(speedup, 1.25), qPrintable(QString::number(speedup)));
        // The numbers on screen are consistent.
        QVERIFY(isNear(times->at(0).timing.latencyUs / times->at(1).timing.latencyUs, other.speedup));
    }

    // The ratios are 1, 1.1, 1.21: their logarithms have mean 0.09531 and standard deviation 0.09531.
    void interval_ofThreeRounds_isStudents()
    {
        const auto times = comparedInRounds({{100, 100}, {110, 100}, {121, 100}});
        const double half = 4.303 * std::log(1.1) / std::sqrt(3.0);
        const SpeedupEstimate &other = times[1].against;
        QVERIFY(isNear(other.speedup, 1.1));
        QVERIFY(isNear(other.low, 1.1 * std::exp(-half)) && isNear(other.high, 1.1 * std::exp(half)));
        QVERIFY(other.verdict == Verdict::None); // too few rounds
    }

    void interval_ofOneRound_isInfinite()
    {
        const auto times = comparedInRounds({{100, 50}});
        const SpeedupEstimate &other = times[1].against;
        QVERIFY(other.speedup == 2 && other.low == 0 && std::isinf(other.high));
        QCOMPARE(times[1].timing.latencyUs, 50.0);
    }

    // Another program interferes with one round of eight: latencies and speed-up still come from the same runs.
    void outlier_ofOneRound_movesLatencyAndSpeedupAlike()
    {
        std::vector<std::vector<double>> rounds(8, {965.8, 857.0});
        rounds[3] = {965.8, 90.0};
        const auto times = comparedInRounds(rounds);
        QVERIFY(isNear(times[0].timing.latencyUs / times[1].timing.latencyUs, times[1].against.speedup));
        QVERIFY(times[1].against.verdict == Verdict::NotShown);
        QVERIFY(times[1].against.moreRounds > 0);
    }

    void judge_bySpreadAndEffect_followsTheRules_data()
    {
        QTest::addColumn<double>("speedup");
        QTest::addColumn<double>("spread"); // in every other round
        QTest::addColumn<int>("rounds");
        QTest::addColumn<int>("verdict");
        const auto row = [](const char *name, double speedup, double spread, int rounds, Verdict verdict) {
            QTest::newRow(name) << speedup << spread << rounds << static_cast<int>(verdict);
        };
        row("faster", 1.10, 0.02, 8, Verdict::Faster);
        row("slower", 0.90, 0.02, 8, Verdict::Slower);
        row("too small an effect", 1.004, 0.001, 8, Verdict::Same);
        row("same", 1.0, 0.005, 8, Verdict::Same);
        row("noise", 1.02, 0.2, 8, Verdict::NotShown);
        row("too few rounds", 1.10, 0.02, 7, Verdict::None);
    }
    void judge_bySpreadAndEffect_followsTheRules()
    {
        QFETCH(double, speedup);
        QFETCH(double, spread);
        QFETCH(int, rounds);
        QFETCH(int, verdict);
        std::vector<double> base, other;
        for (int i = 0; i < rounds; ++i) {
            base.push_back(100 * speedup * std::exp(i % 2 == 0 ? spread : -spread));
            other.push_back(100);
        }
        const SpeedupEstimate estimate = judge(base, other);
        QCOMPARE(static_cast<int>(estimate.verdict), verdict);
        const std::string words = verdictText(estimate, 0.5);
        QCOMPARE(words.find("would tell") != std::string::npos, estimate.verdict == Verdict::NotShown);
        // The estimated number of rounds suffices if they continue as before.
        if (estimate.verdict != Verdict::NotShown)
            return;
        for (std::int64_t i = 0; i < estimate.moreRounds + estimate.moreRounds / 4; ++i) {
            base.push_back(base[static_cast<std::size_t>(i)]);
            other.push_back(100);
        }
        QVERIFY(judge(base, other).verdict != Verdict::NotShown);
    }

    void studentsT_asInTheTables_data()
    {
        QTest::addColumn<int>("degrees");
        QTest::addColumn<double>("tails");
        QTest::addColumn<double>("t");
        QTest::newRow("t_1degree_5percent") << 1 << 0.05 << 12.706;
        QTest::newRow("t_2degrees_1percent") << 2 << 0.01 << 9.925;
        QTest::newRow("t_7degrees_5percent") << 7 << 0.05 << 2.365;
        QTest::newRow("t_7degrees_2percent") << 7 << 0.02 << 2.998;
        QTest::newRow("t_30degrees_1percent") << 30 << 0.01 << 2.750;
    }
    void studentsT_asInTheTables()
    {
        QFETCH(int, degrees);
        QFETCH(double, tails);
        QFETCH(double, t);
        const auto of = static_cast<std::size_t>(degrees);
        QVERIFY(isNear(studentsT(of, tails), t));
        QVERIFY(isNear(studentsTails(studentsT(of, tails), of), tails));
    }

    // Eight rounds each, with chances of 1.2, 2.4 and 4 % to be that far from "no difference".
    void judgeTogether_severalChanges_areCorrectedForTheirNumber()
    {
        const auto roundsOf = [](double chance) {
            constexpr double kSpread = 0.02;
            const double mean = studentsT(7, chance) * kSpread / std::sqrt(7.0);
            std::vector<double> us;
            for (int i = 0; i < 8; ++i)
                us.push_back(100 * std::exp(mean + (i % 2 == 0 ? kSpread : -kSpread)));
            return us;
        };
        const std::vector<double> base(8, 100.0);
        const std::vector<double> clear = roundsOf(0.012), fair = roundsOf(0.024), faint = roundsOf(0.04);
        const std::vector<double> fainter = roundsOf(0.049), none = roundsOf(0.9);
        const auto verdicts = [&](const std::vector<const std::vector<double> *> &others) {
            std::vector<PairedRounds> all;
            for (const auto *us : others)
                all.push_back({*us, base});
            QByteArray text;
            for (const SpeedupEstimate &estimate : judgeTogether(all))
                text += estimate.verdict == Verdict::Faster ? 'f' : '-';
            return text;
        };
        QCOMPARE(verdicts({&fainter}), QByteArray("f")); // alone: as judge()
        QCOMPARE(verdicts({&fainter, &fainter}), QByteArray("--"));
        QCOMPARE(verdicts({&faint, &clear, &fair}), QByteArray("fff")); // 5 % / 3, / 2, / 1: a plain division has one
        QCOMPARE(verdicts({&faint, &none, &clear}), QByteArray("--f"));
        QCOMPARE(verdicts({&none, &fair, &fair}), QByteArray("---"));
        QVERIFY(judgeTogether({}).empty());
    }

    void judgeExact_followsTheSameRules()
    {
        QVERIFY(judgeExact(110, 100).verdict == Verdict::Faster);
        QVERIFY(judgeExact(100, 110).verdict == Verdict::Slower);
        QVERIFY(judgeExact(100.2, 100).verdict == Verdict::Same);
    }

    // As a whole, Greedy is faster than the result of the search, which added up stages.
    void keepFasterBaselines_baselineFaster_takesItsPlace()
    {
        const Stage one{0, Strategy::Concurrent, {{OperatorId{0}}}};
        const Stage two{0, Strategy::Concurrent, {{OperatorId{1}}}};
        const Stage both{0, Strategy::Concurrent, {{OperatorId{0}}, {OperatorId{1}}}};
        std::vector<FoundSchedule> all(3);
        all[0].schedule.stages = {one, two};
        all[0].schedule.measured.stages = timingsOf({60, 50});
        all[1].schedule.stages = {both};
        all[1].schedule.measured.stages = timingsOf({105});
        all[2].schedule.stages = {two, one};
        all[2].schedule.measured.stages = timingsOf({48, 52});
        all[2].schedule.search.sumUs = 101;
        all[2].schedule.search.termination = Termination::Optimal;
        all[2].blocks.resize(1);
        auto times = comparedInRounds({{110, 90, 95}, {112, 91, 96}});
        const auto stands = keepFasterBaselines(all, times, 2, {3, 1});
        QCOMPARE(stands, (std::vector<std::size_t>{0, 1, 1}));
        const TimedSchedule &kept = all[2].schedule;
        QVERIFY(kept.stages == all[1].schedule.stages);
        QCOMPARE(times[2].timing.latencyUs, times[1].timing.latencyUs);
        QVERIFY(kept.search.termination == Termination::BaselineKept);
        QCOMPARE(kept.search.sumUs, 105.0);
        QVERIFY(isNear(kept.search.gap, 105.0 / 101.0 - 1)); // the proved optimum is still the optimum
        QCOMPARE(all[2].blocks[0].latencyUs, 105.0);
    }

    void stop_beforeTheEnd_isCancelled()
    {
        Script session({100, 80});
        std::stop_source stop;
        stop.request_stop();
        const auto times = measureSchedulesInRounds(twoSchedules(), session, 3, stop.get_token());
        QVERIFY(!times && times.error().code == ErrorCode::Cancelled);
    }
};

STAGECRAFT_SUITE(TestCompareInRounds)

} // namespace tst_compare_in_rounds
#include "tst_compare_in_rounds.moc"
