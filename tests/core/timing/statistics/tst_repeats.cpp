// Repeats of two things compared as samples: how often noise alone is called a difference, and a difference is missed.

#include "support/repeats_making.h"
#include "support/suite.h"
#include "timing/statistics/means.h"
#include "timing/statistics/repeats.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_repeats {

namespace {

Repeats ofRuns(std::vector<double> us)
{
    const Timing timing{medianOf(us), meanOf(us), deviationOf(us), static_cast<int>(us.size())};
    return {timing, std::move(us)};
}

Repeats ofSpread(const std::vector<double> &us)
{
    return {ofRuns(us).timing};
}

// Shown slower than the base.
bool isSlower(const JudgedRepeats &judged)
{
    return judged.estimate.high < 1;
}

} // namespace

class TestRepeats : public QObject {
    Q_OBJECT

private slots:
    void judge_thousandTrials_seldomErrs_data()
    {
        QTest::addColumn<int>("repeats");
        QTest::addColumn<double>("memory");
        QTest::addColumn<bool>("areRunsKnown");
        QTest::newRow("20 runs") << 20 << 0.0 << true;
        QTest::newRow("30 runs that remember") << 30 << 0.3 << true;
        QTest::newRow("100 runs that remember much") << 100 << 0.6 << true;
        QTest::newRow("100 runs, of which the spread is known") << 100 << 0.0 << false;
    }

    // Noise of 5 %, a drift of up to 2 %, one run in twenty disturbed.
    void judge_thousandTrials_seldomErrs()
    {
        QFETCH(const int, repeats);
        QFETCH(const double, memory);
        QFETCH(const bool, areRunsKnown);
        constexpr int kTrials = 1000;
        const Noise noise{.memory = memory};
        RepeatsMaker maker(20'261'127);
        const auto recorded = [&](double latencyUs) {
            auto us = maker.runsUs(static_cast<std::size_t>(repeats), latencyUs, noise);
            return areRunsKnown ? ofRuns(std::move(us)) : ofSpread(us);
        };
        int falseAlarms = 0;
        int found = 0;
        for (int i = 0; i < kTrials; ++i) {
            const Repeats base = recorded(1000);
            falseAlarms += isSlower(judgeRepeats(base, recorded(1000))) ? 1 : 0;
            found += isSlower(judgeRepeats(base, recorded(1100))) ? 1 : 0;
        }
        qInfo("%d of %d false alarms, %d found", falseAlarms, kTrials, found);
        QVERIFY2(falseAlarms < kTrials / 20, qPrintable(QString::number(falseAlarms)));
        QVERIFY2(found > kTrials - kTrials / 20, qPrintable(QString::number(found)));
    }

    // As they would be without a correction for their number.
    void judge_severalTogether_errAsSeldomAsOne()
    {
        constexpr int kTrials = 1000;
        constexpr int kOthers = 5;
        RepeatsMaker maker(7);
        int together = 0;
        int apart = 0;
        for (int i = 0; i < kTrials; ++i) {
            const Repeats base = ofRuns(maker.runsUs(20, 1000, {}));
            bool isAnyTogether = false;
            bool isAnyApart = false;
            for (int other = 0; other < kOthers; ++other) {
                const Repeats same = ofRuns(maker.runsUs(20, 1000, {}));
                isAnyTogether = isAnyTogether || isSlower(judgeRepeats(base, same, kOthers));
                isAnyApart = isAnyApart || isSlower(judgeRepeats(base, same));
            }
            together += isAnyTogether ? 1 : 0;
            apart += isAnyApart ? 1 : 0;
        }
        QVERIFY2(together < kTrials / 20 && apart > together, qPrintable(QString("%1, %2").arg(together).arg(apart)));
    }

    void judge_runs_speedupIsTheMiddleOfAllPairs()
    {
        const std::vector<double> base{100, 110, 90, 105, 95, 102, 98, 101, 99};
        const std::vector<double> other{50, 55, 45, 60, 47, 51, 49, 52};
        std::vector<double> ratios;
        for (const double us : base) {
            for (const double otherUs : other)
                ratios.push_back(us / otherUs);
        }
        std::ranges::sort(ratios);
        const JudgedRepeats judged = judgeRepeats(ofRuns(base), ofRuns(other));
        QVERIFY(judged.by == JudgedBy::Runs);
        QVERIFY(std::abs(judged.estimate.speedup - ratios[ratios.size() / 2]) < 1e-9);
        QVERIFY(judged.estimate.verdict == Verdict::Faster);
        const auto isRatio = [&](double end) {
            return std::ranges::any_of(ratios, [&](double ratio) { return std::abs(ratio - end) < 1e-9; });
        };
        QVERIFY(isRatio(judged.estimate.low) && isRatio(judged.estimate.high));
        QVERIFY(judged.estimate.low < judged.estimate.speedup && judged.estimate.speedup < judged.estimate.high);
        const JudgedRepeats turned = judgeRepeats(ofRuns(other), ofRuns(base));
        QVERIFY(std::abs(turned.estimate.low * judged.estimate.high - 1) < 1e-9);
    }

    // One run of twenty takes ten times as long: a mean would be off by half.
    void judge_disturbedRun_hardlyMovesIt()
    {
        RepeatsMaker maker(3);
        const std::vector<double> us = maker.runsUs(20, 1000, {.drift = 0, .disturbed = 0});
        std::vector<double> disturbed = us;
        disturbed[4] *= 10;
        const JudgedRepeats judged = judgeRepeats(ofRuns(us), ofRuns(disturbed));
        QVERIFY(std::abs(judged.estimate.speedup - 1) < 0.02);
        QVERIFY(judged.estimate.verdict == Verdict::NotShown);
    }

    void judge_equalRuns_areTheSame()
    {
        const std::vector<double> us(12, 80.0);
        const JudgedRepeats judged = judgeRepeats(ofRuns(us), ofRuns(us));
        QVERIFY(judged.estimate.verdict == Verdict::Same);
        QCOMPARE(judged.estimate.speedup, 1.0);
        QCOMPARE(judged.estimate.low, judged.estimate.high);
    }

    // Values of damaged files end the search for a quantile, too.
    void judge_absurdRatios_end()
    {
        const std::vector<double> tiny{1e-300, 7e-300, 3e-300, 8e-300, 2e-300, 6e-300, 4e-300, 5e-300};
        std::vector<double> huge;
        for (const double us : tiny)
            huge.push_back(us * 1e300 * 1e290);
        const JudgedRepeats judged = judgeRepeats(ofRuns(tiny), ofRuns(huge));
        QVERIFY(judged.estimate.verdict == Verdict::Slower);
        QVERIFY(judged.estimate.high < 1e-300);
    }

    void judge_absurdSpreads_end_data()
    {
        QTest::addColumn<double>("meanUs");
        QTest::addColumn<double>("stddevUs");
        QTest::addColumn<bool>("hasInterval");
        QTest::newRow("no spread") << 100.0 << 0.0 << true;
        QTest::newRow("squares of errors that are too small") << 100.0 << 1e-80 << true;
        QTest::newRow("errors that are too small") << 100.0 << 1e-300 << true;
        QTest::newRow("errors that are too large") << 1e-300 << 1.0 << false;
    }

    void judge_absurdSpreads_end()
    {
        QFETCH(const double, meanUs);
        QFETCH(const double, stddevUs);
        QFETCH(const bool, hasInterval);
        const auto of = [&](double latencyUs) { return Repeats{Timing{latencyUs, meanUs, stddevUs, 20}}; };
        const JudgedRepeats judged = judgeRepeats(of(100), of(125));
        QVERIFY(judged.by == JudgedBy::Spread);
        QCOMPARE(judged.hasInterval(), hasInterval);
        QCOMPARE(judged.isShown(), hasInterval);
        QCOMPARE(judged.estimate.speedup, 0.8);
    }

    void judge_runsThatDrift_areWorthFewer()
    {
        std::vector<double> ascending;
        for (int i = 0; i < 20; ++i)
            ascending.push_back(1000 + 10 * i);
        std::vector<double> mixed;
        for (std::size_t i = 0; i < ascending.size(); ++i)
            mixed.push_back(ascending[i * 7 % ascending.size()]);
        QVERIFY(rankAutocorrelation(ascending) > 0.8);
        QVERIFY(rankAutocorrelation(mixed) < 0);
        const auto widthOf = [](const std::vector<double> &us) {
            const JudgedRepeats judged = judgeRepeats(ofRuns(us), ofRuns(us));
            return judged.estimate.high / judged.estimate.low;
        };
        QVERIFY(widthOf(ascending) > 2 * widthOf(mixed));
    }

    void judge_fewRuns_haveNoVerdict()
    {
        const std::vector<double> seven{100, 101, 102, 103, 104, 105, 106};
        std::vector<double> eight = seven;
        eight.push_back(107);
        const JudgedRepeats judged = judgeRepeats(ofRuns(seven), ofRuns({200, 201, 202, 203, 204, 205, 206, 207}));
        QVERIFY(judged.by == JudgedBy::Single);
        QVERIFY(judged.estimate.verdict == Verdict::None);
        QCOMPARE(judged.estimate.high, std::numeric_limits<double>::infinity());
        QVERIFY(std::abs(judged.estimate.speedup - 103 / 203.5) < 1e-12);
        QVERIFY(judgeRepeats(ofRuns(eight), ofSpread(eight)).by == JudgedBy::Spread);
        QVERIFY(judgeRepeats(ofRuns(eight), ofRuns(eight)).by == JudgedBy::Runs);
    }
};

STAGECRAFT_SUITE(TestRepeats)

} // namespace tst_repeats
#include "tst_repeats.moc"
