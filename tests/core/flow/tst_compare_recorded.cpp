// Files compared as they are: what forbids a comparison, what it rests on, and how often real runs are misjudged.

#include "device/recorded/profiles/profile_times.h"
#include "flow/compare_recorded.h"
#include "results/recorded_comparison_words.h"
#include "search/stages/baselines.h"
#include "support/opened_model.h"
#include "support/repeats_making.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "timing/statistics/means.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_compare_recorded {

namespace {

const Model &sample()
{
    static const Model model = *openedModel("sample");
    return model;
}

RecordedResult resultOf(const std::string &name, std::vector<double> runsUs,
                        const std::function<void(TimedSchedule &)> &change = {})
{
    TimedSchedule schedule = sequentialSchedule(*sample().graph, sample().blocks);
    schedule.context = {sample().reference(), "gpu:0", "driver 1", 1, "fp32"};
    schedule.measured.provenance = Provenance::Measured;
    schedule.measured.whole =
        Timing{medianOf(runsUs), meanOf(runsUs), deviationOf(runsUs), static_cast<int>(runsUs.size())};
    Timing each = *schedule.measured.whole;
    for (double *us : {&each.latencyUs, &each.meanUs, &each.stddevUs})
        *us /= static_cast<double>(schedule.stages.size());
    schedule.measured.stages.assign(schedule.stages.size(), each);
    if (change)
        change(schedule);
    RecordedResult result{name, std::make_shared<const TimedSchedule>(schedule), {}, {}, {}};
    result.repeats = {*schedule.measured.whole, std::move(runsUs)};
    result.runs = operatorRuns(*sample().graph, schedule);
    return result;
}

std::vector<double> runsOf(double us, std::uint32_t seed)
{
    return RepeatsMaker(seed).runsUs(20, us, {});
}

using Change = std::function<void(TimedSchedule &)>;

} // namespace

class TestCompareRecorded : public QObject {
    Q_OBJECT

private slots:
    void compare_otherContext_isSaidOrForbids_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("says");
        QTest::addColumn<bool>("isCompared");
        const auto row = [](const char *name, const Change &change, const char *says, bool isCompared) {
            QTest::newRow(name) << change << says << isCompared;
        };
        row(
            "equal", [](TimedSchedule &) {}, "", true);
        row(
            "device", [](TimedSchedule &s) { s.context.device = "gpu:1"; },
            "device: gpu:0 -> gpu:1, so latencies are not compared", false);
        row(
            "its options", [](TimedSchedule &s) { s.context.device = "gpu:0:tf32:streams"; },
            "options of the device: gpu:0 -> gpu:0:tf32:streams", true);
        row(
            "a device that is not named", [](TimedSchedule &s) { s.context.device = "unknown device (profile)"; },
            "device: gpu:0 -> unknown device (profile)", true);
        row(
            "batch", [](TimedSchedule &s) { s.context.batch = 8; }, "batch: 1 -> 8, so latencies are not compared",
            false);
        row(
            "provenance", [](TimedSchedule &s) { s.measured.provenance = Provenance::Recorded; },
            "provenance: measured -> recorded, so latencies are not compared", false);
        row(
            "sum of stages", [](TimedSchedule &s) { s.measured.how = MeasuredHow::SumOfStages; },
            "kind of latency: whole schedule -> sum of stages, so latencies are not compared", false);
        row(
            "precision", [](TimedSchedule &s) { s.context.precision = "fp16"; }, "precision: fp32 -> fp16", true);
        row(
            "precision that is not said", [](TimedSchedule &s) { s.context.precision = "precision not stated"; }, "",
            true);
        row(
            "driver", [](TimedSchedule &s) { s.context.deviceVersion = "driver 2"; }, "driver: driver 1 -> driver 2",
            true);
        row(
            "file of the model", [](TimedSchedule &s) { s.context.model.sha256 = "00ff"; }, nullptr, true);
    }

    void compare_otherContext_isSaidOrForbids()
    {
        QFETCH(const Change, change);
        QFETCH(const QString, says);
        QFETCH(const bool, isCompared);
        const RecordedComparison comparison =
            compareRecorded(sample(), {resultOf("a", runsOf(1000, 1)), resultOf("b", runsOf(1300, 2), change)});
        QCOMPARE(comparison.changes.size(), 1U);
        const RecordedChange &changed = comparison.changes[0];
        QStringList words;
        for (const ContextDifference &difference : changed.context)
            words << QString::fromStdString(contextWords(difference));
        if (!says.isNull())
            QCOMPARE(words.join("; "), says);
        else
            QVERIFY(words.size() == 1 && words.first().startsWith("file of the model: "));
        QCOMPARE(changed.judged.has_value(), isCompared);
        QCOMPARE(changed.isBelow(1), isCompared);
        QVERIFY(isCompared || QString::fromStdString(judgedWords(changed)).startsWith("not compared: other "));
        const std::size_t operators = sample().graph->size();
        QCOMPARE(changed.operators.operators.size(), isCompared ? operators : 0);
        QCOMPARE(changed.operators.equal, isCompared ? 0 : operators);
    }

    void compare_simulatorsOfTwoVersions_areNotCompared()
    {
        const auto simulated = [](const char *version) {
            return [version](TimedSchedule &schedule) {
                schedule.measured.provenance = Provenance::Simulated;
                schedule.context.deviceVersion = version;
            };
        };
        const RecordedComparison comparison =
            compareRecorded(sample(), {resultOf("a", {100}, simulated("one")), resultOf("b", {101}, simulated("one")),
                                       resultOf("c", {101}, simulated("two"))});
        QVERIFY(comparison.changes[0].judged->by == JudgedBy::Exact);
        QVERIFY(comparison.changes[0].isBelow(1) && !comparison.changes[0].isBelow(0.9));
        QVERIFY(!comparison.changes[1].judged);
    }

    // Without runs the spread decides, and of few runs nothing does.
    void compare_files_areJudgedByWhatTheyHave()
    {
        RecordedResult spread = resultOf("b", runsOf(1500, 2));
        spread.repeats.runsUs.clear();
        const RecordedComparison comparison =
            compareRecorded(sample(), {resultOf("a", runsOf(1000, 1)), spread, resultOf("c", {1500, 1510, 1520})});
        QVERIFY(comparison.changes[0].judged->by == JudgedBy::Spread);
        QVERIFY(comparison.changes[0].isBelow(1));
        QVERIFY(comparison.changes[1].judged->by == JudgedBy::Single);
        QVERIFY(!comparison.changes[1].isBelow(1));
    }

    // 60 runs from anywhere in a recording of TensorRT on an A100, beside 60 others of it, 1,000 times: clocks change
    // by about 1 % within it, so a limit of 1 would call more of them slower.
    void compare_runsOfARealRecording_areSeldomMisjudged()
    {
        std::vector<std::string> files;
        for (const char *part : {"profile.json", "timing.json.gz"}) {
            const QString file = sharedDataPath(QString("profiles/tensorrt/pytorch_A100_fp32.") + part);
            if (file.isEmpty())
                QSKIP("the recordings are not here");
            files.push_back(file.toStdString());
        }
        const auto profile = readProfile(files);
        QVERIFY(profile);
        const std::vector<double> all = profileTimes(*profile).runsUs;
        QCOMPARE(all.size(), 1600U);
        constexpr int kTrials = 1000;
        constexpr std::ptrdiff_t kRuns = 60;
        constexpr double kLimit = 0.97;
        RepeatsMaker maker(11);
        const auto some = [&](double slower) {
            const auto from =
                all.begin() + static_cast<std::ptrdiff_t>(maker.share() * static_cast<double>(all.size() - kRuns));
            std::vector<double> us(from, from + kRuns);
            for (double &each : us)
                each *= slower;
            return Repeats{Timing{medianOf(us), meanOf(us), deviationOf(us), kRuns}, us};
        };
        int failed = 0;
        int found = 0;
        for (int i = 0; i < kTrials; ++i) {
            const Repeats base = some(1);
            failed += judgeRepeats(base, some(1)).estimate.high < kLimit ? 1 : 0;
            found += judgeRepeats(base, some(1.1)).estimate.high < kLimit ? 1 : 0;
        }
        QVERIFY2(failed < kTrials / 20 && found > kTrials - kTrials / 20,
                 qPrintable(QString("%1 failed, %2 found").arg(failed).arg(found)));
    }
};

STAGECRAFT_SUITE(TestCompareRecorded)

} // namespace tst_compare_recorded
#include "tst_compare_recorded.moc"
