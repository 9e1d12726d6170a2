// The numbers behind the colours of the graph, what differs between two schedules, sets of operators along edges, and
// finding: without a window.

#include "graph/operator_cost.h"
#include "support/inception_like.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "widgets/graph/graph_paths.h"
#include "widgets/graph/overlay/graph_find.h"
#include "widgets/graph/paint/heat_scale.h"
#include "widgets/graph/paint/stage_changes.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace tst_graph_heat {

class TestGraphHeat : public QObject {
    Q_OBJECT

private slots:
    void heat_latency_isOfTheStageAndOfBlocks();
    void heat_costs_areThoseOfTheTable();
    void heat_utilisation_isAgainstThePeak();
    void heat_utilisation_withoutAPeak_isARate();
    void heat_lost_isLaunchesAndWaits();
    void heat_withoutTimeline_isUnknown();
    void changes_areByCompanyAndStrategy();
    void paths_followEdges();
    void find_findsWhatIsAsked_data();
    void find_findsWhatIsAsked();
    void find_numbers_areSaidOfEachMatch();
    void find_comparisonThatCannotBe_saysWhy_data();
    void find_comparisonThatCannotBe_saysWhy();
    void find_brokenExpression_saysWhy();

private:
    [[nodiscard]] HeatSource source() const { return {*m_sample.graph, m_blocks, m_sample.schedule.get()}; }
    [[nodiscard]] double valueOf(const HeatScale &heat, const char *name) const
    {
        return heat.values[m_sample.op(name).index()];
    }

    test::Sample m_sample = test::makeSample();
    Blocks m_blocks{Block{{OperatorId{0}, OperatorId{1}, OperatorId{2}, OperatorId{3}}},
                    Block{{OperatorId{4}, OperatorId{5}, OperatorId{6}}}};
};

void TestGraphHeat::heat_latency_isOfTheStageAndOfBlocks()
{
    const HeatScale heat = heatOf(Colouring::Heat, source());
    QCOMPARE(valueOf(heat, "c"), 40.0);
    QCOMPARE(valueOf(heat, "f"), 10.0);
    QCOMPARE(heat.maximum, 40.0);
    QCOMPARE(heat.blockValues, (std::vector<double>{45, 40})); // each stage once
    QVERIFY(heat.provenance == Provenance::Simulated);
    QCOMPARE(heatText(heat, 40), QStringLiteral("40.0 µs"));
}

void TestGraphHeat::heat_costs_areThoseOfTheTable()
{
    const HeatScale work = heatOf(Colouring::Flops, source());
    const HeatScale traffic = heatOf(Colouring::Bytes, source());
    double all = 0;
    for (std::size_t i = 0; i < m_sample.graph->size(); ++i) {
        QCOMPARE(work.values[i], flops(*m_sample.graph, OperatorId::fromIndex(i)));
        QCOMPARE(traffic.values[i], memoryBytes(*m_sample.graph, OperatorId::fromIndex(i)));
        all += traffic.values[i];
    }
    QCOMPARE(traffic.blockValues[0] + traffic.blockValues[1], all);
    QVERIFY(!work.provenance); // counted, not timed
}

void TestGraphHeat::heat_utilisation_isAgainstThePeak()
{
    auto timeline = std::make_shared<Timeline>(*m_sample.timeline);
    timeline->counters.push_back({"FLOP/s", "FLOP/s", "simulated", 1e12, {0}, {1e9}});
    const TimelineIndex index(timeline);
    HeatSource from = source();
    from.timeline = &index;
    const HeatScale heat = heatOf(Colouring::Utilisation, from);
    const double a = flops(*m_sample.graph, m_sample.op("a")) / 29e-6 / 1e12;
    QVERIFY(qFuzzyCompare(valueOf(heat, "a"), a));
    // The merged kernel of d and e has the work of both.
    const double both = flops(*m_sample.graph, m_sample.op("d")) + flops(*m_sample.graph, m_sample.op("e"));
    QVERIFY(qFuzzyCompare(valueOf(heat, "d"), both / 28e-6 / 1e12));
    QCOMPARE(valueOf(heat, "d"), valueOf(heat, "e"));
    QVERIFY(heat.isShare);
    QCOMPARE(heatText(heat, 0.5), QStringLiteral("50.0 %"));
    QCOMPARE(heat.blockValues[1], std::max(valueOf(heat, "d"), valueOf(heat, "f")));
}

void TestGraphHeat::heat_utilisation_withoutAPeak_isARate()
{
    const TimelineIndex index(m_sample.timeline);
    HeatSource from = source();
    from.timeline = &index;
    const HeatScale heat = heatOf(Colouring::Utilisation, from);
    QVERIFY(!heat.isShare);
    QVERIFY(qFuzzyCompare(valueOf(heat, "a"), flops(*m_sample.graph, m_sample.op("a")) / 29e-6));
    QVERIFY(heatText(heat, 2e9).endsWith(QStringLiteral("/s")));
}

void TestGraphHeat::heat_lost_isLaunchesAndWaits()
{
    const TimelineIndex index(m_sample.timeline);
    HeatSource from = source();
    from.timeline = &index;
    const HeatScale heat = heatOf(Colouring::Lost, from);
    QCOMPARE(valueOf(heat, "a"), 10.0); // 1 us launched, then 9 us until c is done
    QCOMPARE(valueOf(heat, "b"), 2.0);
    QCOMPARE(valueOf(heat, "c"), 1.0);
    QCOMPARE(valueOf(heat, "d"), 1.0);
    QCOMPARE(heat.blockValues[0], 13.0);
    QVERIFY(valueOf(heat, "ac") < 0); // ran in no kernel
}

void TestGraphHeat::heat_withoutTimeline_isUnknown()
{
    for (const Colouring colouring : {Colouring::Utilisation, Colouring::Lost}) {
        const HeatScale heat = heatOf(colouring, source());
        QCOMPARE(heat.maximum, 0.0);
        QVERIFY(std::ranges::all_of(heat.values, [](double value) { return value < 0; }));
        QCOMPARE(noHeatText(colouring), QStringLiteral("No timeline yet"));
    }
}

void TestGraphHeat::changes_areByCompanyAndStrategy()
{
    TimedSchedule other = *m_sample.schedule;
    other.stages[2].strategy = Strategy::Concurrent;                 // d, e
    other.stages[0].groups = {{m_sample.op("b"), m_sample.op("c")}}; // a leaves
    other.stages.insert(other.stages.begin(), {0, Strategy::Concurrent, {{m_sample.op("a")}}});
    other.stages.back().groups.clear(); // f is missing
    const StageChanges changes = stageChanges(*m_sample.graph, *m_sample.schedule, other);
    const auto of = [&](const char *name) { return changes.of[m_sample.op(name).index()]; };
    QVERIFY(of("a") == StageChange::Moved && of("b") == StageChange::Moved && of("c") == StageChange::Moved);
    QVERIFY(of("ac") == StageChange::Same); // its stage has another number, but the same operators
    QVERIFY(of("d") == StageChange::Merged && of("e") == StageChange::Merged);
    QVERIFY(of("f") == StageChange::Missing);
    QCOMPARE(changes.counts, (std::array<std::size_t, 4>{1, 3, 2, 1}));
    QCOMPARE(*changes.otherStage[m_sample.op("b").index()], std::size_t{1});
    const StageChanges none = stageChanges(*m_sample.graph, *m_sample.schedule, *m_sample.schedule);
    QCOMPARE(none.counts[0], m_sample.graph->size());
}

void TestGraphHeat::paths_followEdges()
{
    const test::ModelOfModules model = test::inceptionLike(3);
    const auto id = [&](const char *name) { return *model.graph->find(name); };
    const auto names = [&](const std::vector<bool> &marks) {
        QStringList found;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (marks[i])
                found << QString::fromStdString(model.graph->operators()[i].name);
        }
        found.sort();
        return found.join(QLatin1Char(' '));
    };
    QCOMPARE(names(ancestorsOf(*model.graph, id("m0/c3"))), QStringLiteral("m0/c1 m0/c2"));
    QCOMPARE(names(descendantsOf(*model.graph, id("m2/b1"))), QStringLiteral("m2/b2 m2/concat"));
    QCOMPARE(names(pathsBetween(*model.graph, id("m0/c1"), id("m0/concat"))),
             QStringLiteral("m0/c1 m0/c2 m0/c3 m0/concat"));
    QCOMPARE(names(pathsBetween(*model.graph, id("m0/concat"), id("m0/c1"))), // in whichever direction
             QStringLiteral("m0/c1 m0/c2 m0/c3 m0/concat"));
    QCOMPARE(names(pathsBetween(*model.graph, id("m0/a"), id("m0/d"))), QString());
}

void TestGraphHeat::find_findsWhatIsAsked_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("found");
    QTest::newRow("find_name") << "AC"
                               << "ac";
    QTest::newRow("find_type") << "concat"
                               << "f";
    QTest::newRow("find_typeOnly") << "type:conv"
                                   << "a b c d e";
    QTest::newRow("find_nameOnly") << "name:c"
                                   << "ac c";
    QTest::newRow("find_attribute") << "conv 1x1"
                                    << "d";
    QTest::newRow("find_attributeOnly") << "attribute:3x3"
                                        << "a b c e";
    QTest::newRow("find_attributeByKey") << "attribute:kernel=1x1"
                                         << "d";
    QTest::newRow("find_numberAlone_isInNames") << "8"
                                                << "";
    QTest::newRow("find_partOfAShape_inWholeDimensions") << "6x8x8"
                                                         << "";
    QTest::newRow("find_shape") << "shape:32x8x8"
                                << "f";
    QTest::newRow("find_expression") << "/^[a-c]$/"
                                     << "a b c";
    QTest::newRow("find_expressionOnTypes") << "/^concat$/"
                                            << "f";
    QTest::newRow("find_severalWords") << "conv name:a"
                                       << "a";
    QTest::newRow("find_flops") << "flops > 100k"
                                << "a b c e";
    QTest::newRow("find_flopsBetween") << "flops>=0.03M flops < 100k"
                                       << "d";
    QTest::newRow("find_latencyOfTheStage") << "latency > 0.035 ms"
                                            << "a b c";
    QTest::newRow("find_latencyAndType") << "conv latency<35us"
                                         << "d e";
    QTest::newRow("find_bytes") << "bytes ≥ 1kB type:concat"
                                << "f";
    QTest::newRow("find_stage") << "stage = 3"
                                << "d e";
    QTest::newRow("find_block") << "block != 1 latency <= 10"
                                << "f";
    QTest::newRow("find_signsInNames_areText") << "<lambda> kernel=1x1"
                                               << "";
    QTest::newRow("find_nothing") << "winograd"
                                  << "";
    QTest::newRow("find_empty") << "  "
                                << "";
    QTest::newRow("find_slash_isAName") << "/"
                                        << "";
}

void TestGraphHeat::find_findsWhatIsAsked()
{
    QFETCH(QString, text);
    QFETCH(QString, found);
    GraphFind find;
    find.search(source(), text);
    QStringList names;
    for (const OperatorId op : find.matches())
        names << QString::fromStdString(m_sample.graph->op(op).name);
    names.sort();
    QCOMPARE(names.join(QLatin1Char(' ')), found);
    QVERIFY(find.trouble().isEmpty());
    QCOMPARE(find.current(), names.isEmpty() ? -1 : 0);
}

void TestGraphHeat::find_numbers_areSaidOfEachMatch()
{
    GraphFind find;
    find.search(source(), QStringLiteral("latency >= 30 flops < 100k stage = 3"));
    QCOMPARE(find.matches().size(), std::size_t{1});
    QCOMPARE(find.numbersOf(0), QStringLiteral("30.0 µs, 33.8 kFLOP, Stage 3"));
    find.search(source(), QStringLiteral("conv"));
    QCOMPARE(find.numbersOf(0), QString());
}

void TestGraphHeat::find_comparisonThatCannotBe_saysWhy_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("find_unknownNumber") << "flop > 50M"
                                        << "flop is not a number of operators. Did you mean flops? Known are flops, ";
    QTest::newRow("find_noNumber") << "conv > 5"
                                   << "conv is not a number of operators. Known are flops, ";
    QTest::newRow("find_noName") << "> 5"
                                 << "Which number? Known are flops, ";
    QTest::newRow("find_noValue") << "conv flops >"
                                  << "flops > which number? Say flops > 50M";
    QTest::newRow("find_wordAsValue") << "flops > fast"
                                      << "fast is not a value of flops. Say a number, alone or with k, M, G, T";
    QTest::newRow("find_otherUnit") << "flops < 5ms"
                                    << "5ms is not a value of flops";
    QTest::newRow("find_notKnownYet") << "lost > 5us"
                                      << "The timeline is not known yet: search first (F5)";
}

void TestGraphHeat::find_comparisonThatCannotBe_saysWhy()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    GraphFind find;
    find.search(source(), text);
    QVERIFY(find.matches().empty());
    QVERIFY2(find.trouble().startsWith(says), qPrintable(find.trouble()));
}

void TestGraphHeat::find_brokenExpression_saysWhy()
{
    GraphFind find;
    find.search(source(), QStringLiteral("/a(/"));
    QVERIFY(find.matches().empty());
    QVERIFY2(find.trouble().contains(QStringLiteral("parenthes")), qPrintable(find.trouble()));
    find.search(source(), QStringLiteral("a"));
    QVERIFY(find.trouble().isEmpty());
}

STAGECRAFT_SUITE(TestGraphHeat)

} // namespace tst_graph_heat
#include "tst_graph_heat.moc"
