// What changed for each operator between two runs of a graph.

#include "schedule/compare/operator_changes.h"
#include "support/graph_making.h"
#include "support/schedule_making.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_operator_changes {

namespace {

// Of the sample's operators a, b, c, ac, d, e, f: one kernel each, all on one stream.
OperatorRuns usual(const Sample &sample)
{
    OperatorRuns runs{std::vector<OperatorRun>(sample.graph->size()), {"stream 7", "stream 20"}, {}};
    for (const OperatorAspect aspect : kOperatorAspects)
        runs.setShown(aspect);
    for (std::size_t i = 0; i < runs.operators.size(); ++i) {
        OperatorRun &run = runs.operators[i];
        run.isThere = true;
        run.kernels = {"gemm"};
        run.precision = "FP32";
        run.layout = "NCHW";
        run.stream = 0;
        run.repeats.timing = Timing::ofLatency(100);
    }
    return runs;
}

OperatorRun &runOf(OperatorRuns &runs, const Sample &sample, const char *name)
{
    return runs.operators[sample.op(name).index()];
}

QStringList wordsOf(const std::vector<AspectChange> &changes)
{
    QStringList words;
    for (const AspectChange &change : changes) {
        const std::string_view aspect = toString(change.aspect);
        words << QString("%1: %2 -> %3")
                     .arg(QLatin1String(aspect.data(), static_cast<qsizetype>(aspect.size())), change.before.c_str(),
                          change.after.c_str());
    }
    return words;
}

// "a: kernel: x -> y"
QStringList wordsOf(const OperatorChanges &changes)
{
    QStringList words;
    for (const OperatorChange &change : changes.operators)
        words << QString::fromStdString(change.name) + ": " + wordsOf(change.aspects).join(", ");
    return words;
}

} // namespace

class TestOperatorChanges : public QObject {
    Q_OBJECT

private slots:
    void changes_ofEveryAspect_areTold()
    {
        const Sample sample = makeSample();
        const OperatorRuns before = usual(sample);
        OperatorRuns after = before;
        runOf(after, sample, "a").kernels = {"winograd"};
        runOf(after, sample, "b").precision = "FP16";
        runOf(after, sample, "c").layout = "NHWC";
        runOf(after, sample, "d").fusedWith = {sample.op("e")};
        runOf(after, sample, "e").fusedWith = {sample.op("d")};
        runOf(after, sample, "f").stream = 1;
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated);
        QStringList words = wordsOf(changes);
        words.sort();
        QCOMPARE(words, QStringList({"a: kernel: gemm -> winograd", "b: precision: FP32 -> FP16",
                                     "c: layout: NCHW -> NHWC", "d: fusion: alone -> with e",
                                     "e: fusion: alone -> with d", "f: stream: stream 7 -> stream 20"}));
        QCOMPARE(changes.equal, 1U);
        QVERIFY(changes.notShown.empty() && changes.ofAll.empty());
        QVERIFY(operatorChanges(*sample.graph, before, before, OperatorTimes::Repeated).operators.empty());
    }

    void changes_largestLoss_isFirst()
    {
        const Sample sample = makeSample();
        const OperatorRuns before = usual(sample);
        OperatorRuns after = before;
        for (const auto &[name, us] : {std::pair("a", 90.0), std::pair("b", 150.0), std::pair("c", 110.0)}) {
            runOf(after, sample, name).kernels = {"other"};
            runOf(after, sample, name).repeats.timing = Timing::ofLatency(us);
        }
        runOf(after, sample, "d").kernels = {"other"};
        runOf(after, sample, "d").repeats.timing = {}; // counted for another operator
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated);
        QStringList names;
        for (const OperatorChange &change : changes.operators)
            names << QString::fromStdString(change.name);
        QCOMPARE(names, QStringList({"b", "c", "d", "a"}));
        QVERIFY(changes.operators[2].beforeUs == 100.0 && !changes.operators[2].afterUs &&
                !changes.operators[2].judged);
    }

    void streams_ofOtherNumbers_areTheSame()
    {
        const Sample sample = makeSample();
        OperatorRuns before = usual(sample);
        runOf(before, sample, "b").stream = 1;
        runOf(before, sample, "c").stream = 1;
        OperatorRuns after = before;
        for (OperatorRun &run : after.operators)
            run.stream = 1 - *run.stream; // renumbered
        QVERIFY(operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated).operators.empty());
        runOf(after, sample, "c").stream = 1;
        QCOMPARE(wordsOf(operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated)),
                 QStringList("c: stream: stream 20 -> stream 20")); // that of the others
    }

    void changes_ofAllOperators_areToldOnce()
    {
        const Sample sample = makeSample();
        const OperatorRuns before = usual(sample);
        OperatorRuns after = before;
        for (OperatorRun &run : after.operators)
            run.precision = "FP16";
        runOf(after, sample, "a").kernels = {"winograd"};
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated);
        QCOMPARE(wordsOf(changes.ofAll), QStringList("precision: FP32 -> FP16"));
        QCOMPARE(wordsOf(changes), QStringList("a: kernel: gemm -> winograd"));
    }

    void operators_thatOneLacks_areNamed()
    {
        const Sample sample = makeSample();
        OperatorRuns before = usual(sample);
        OperatorRuns after = before;
        runOf(before, sample, "a") = {};
        runOf(after, sample, "b") = {};
        after.shown.reset(static_cast<std::size_t>(OperatorAspect::Layout));
        runOf(after, sample, "c").layout = "NHWC"; // is not looked at
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated);
        QVERIFY(changes.onlyBefore == std::vector<std::string>{"b"});
        QVERIFY(changes.onlyAfter == std::vector<std::string>{"a"});
        QVERIFY(changes.notShown == std::vector<OperatorAspect>{OperatorAspect::Layout});
        QVERIFY(changes.operators.empty());
        QCOMPARE(changes.equal, sample.graph->size() - 2);
    }

    // The time alone, where it is more than noise for all operators together.
    void times_ofManyRuns_areJudged()
    {
        const Sample sample = makeSample();
        OperatorRuns before = usual(sample);
        const auto setRuns = [&](OperatorRuns &runs, const char *name, double us) {
            Repeats &repeats = runOf(runs, sample, name).repeats;
            repeats.runsUs.clear();
            for (int i = 0; i < 20; ++i)
                repeats.runsUs.push_back(us + i * 7 % 20);
            repeats.timing = {us + 9.5, us + 9.5, 6, 20};
        };
        for (const char *name : {"a", "b"})
            setRuns(before, name, 100);
        OperatorRuns after = before;
        setRuns(after, "a", 130);
        setRuns(after, "b", 101);
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, OperatorTimes::Repeated);
        QCOMPARE(changes.operators.size(), 1U);
        QCOMPARE(changes.operators[0].name, std::string("a"));
        QVERIFY(changes.operators[0].aspects.empty());
        QVERIFY(changes.operators[0].judged->estimate.verdict == Verdict::Slower);
    }

    void times_asTheyCompare_areJudged_data()
    {
        QTest::addColumn<OperatorTimes>("times");
        QTest::addColumn<QStringList>("changed");
        QTest::newRow("not comparable") << OperatorTimes::NotComparable << QStringList{"b", "d"};
        QTest::newRow("once") << OperatorTimes::Repeated << QStringList{"d", "b"};
        QTest::newRow("exact") << OperatorTimes::Exact << QStringList{"d", "a", "b"};
    }

    void times_asTheyCompare_areJudged()
    {
        QFETCH(const OperatorTimes, times);
        QFETCH(const QStringList, changed);
        const Sample sample = makeSample();
        const OperatorRuns before = usual(sample);
        OperatorRuns after = before;
        runOf(after, sample, "a").repeats.timing = Timing::ofLatency(150);
        runOf(after, sample, "b").kernels = {"winograd"};
        runOf(after, sample, "d").kernels = {"winograd"};
        runOf(after, sample, "d").repeats.timing = Timing::ofLatency(200);
        const OperatorChanges changes = operatorChanges(*sample.graph, before, after, times);
        QStringList names;
        for (const OperatorChange &change : changes.operators) {
            names << QString::fromStdString(change.name);
            const bool isTimed = times != OperatorTimes::NotComparable;
            QVERIFY(change.beforeUs.has_value() == isTimed && change.afterUs.has_value() == isTimed &&
                    change.judged.has_value() == isTimed);
            QVERIFY(!isTimed || (change.judged->by == JudgedBy::Exact) == (times == OperatorTimes::Exact));
        }
        QCOMPARE(names, changed);
        QCOMPARE(changes.equal, sample.graph->size() - static_cast<std::size_t>(changed.size()));
    }

    void runs_ofASchedule_haveMergesGroupsAndTimes()
    {
        const Sample sample = makeSample();
        TimedSchedule schedule = *sample.schedule;
        schedule.context.precision = "fp16";
        schedule.layouts.tensors = {{"a", TensorLayout::ChannelsLast}};
        OperatorRuns runs = operatorRuns(*sample.graph, schedule);
        QVERIFY(!runs.shows(OperatorAspect::Kernel) && runs.shows(OperatorAspect::Layout));
        QCOMPARE(runs.streams.size(), 2U);
        QVERIFY(runOf(runs, sample, "a").stream == 0U && runOf(runs, sample, "c").stream == 1U);
        QVERIFY(runOf(runs, sample, "d").fusedWith == std::vector<OperatorId>{sample.op("e")});
        QVERIFY(runOf(runs, sample, "f").fusedWith.empty());
        QCOMPARE(runOf(runs, sample, "f").repeats.timing.latencyUs, 10.0);
        QCOMPARE(runOf(runs, sample, "a").repeats.timing.latencyUs, 0.0); // beside b and c
        QCOMPARE(runOf(runs, sample, "a").layout, std::string("NHWC"));
        QCOMPARE(runOf(runs, sample, "b").layout, std::string("NCHW"));
        QCOMPARE(runOf(runs, sample, "b").precision, std::string("fp16"));
    }
};

STAGECRAFT_SUITE(TestOperatorChanges)

} // namespace tst_operator_changes
#include "tst_operator_changes.moc"
