// Critical paths of graphs, against every path, and of schedules, whose barriers can only make them longer.

#include "schedule/compare/critical_path.h"
#include "support/random_edits.h"
#include "support/random_graph.h"
#include "support/schedule_making.h"
#include "support/suite.h"

#include <QtTest>

#include <numeric>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_critical_path {

namespace {

double heaviestFrom(const Graph &graph, OperatorId op, std::span<const double> us)
{
    double rest = 0;
    for (const OperatorId next : graph.successors(op))
        rest = std::max(rest, heaviestFrom(graph, next, us));
    return us[op.index()] + rest;
}

std::vector<double> randomLatencies(const Graph &graph, std::mt19937 &random)
{
    std::vector<double> us(graph.size());
    for (double &each : us)
        each = 1 + static_cast<double>(random() % 1000) / 10;
    return us;
}

TimedSchedule oneByOne(const Graph &graph, const std::vector<double> &us)
{
    TimedSchedule schedule;
    for (std::size_t i = graph.size(); i-- > 0;) // the order of stages does not matter
        schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    std::vector<double> backwards(us.rbegin(), us.rend());
    schedule.measured.stages = timingsOf(backwards);
    return schedule;
}

} // namespace

class TestCriticalPath : public QObject {
    Q_OBJECT

private slots:
    void ofGraph_random_isTheHeaviestOfAllPaths();
    void ofSchedule_edited_isNeverShorterThanOfTheGraph();
    void ofSchedule_sample_takesTheSlowestGroups();
    void operatorLatencies_ofOneByOne_areItsStages();
    void operatorLatencies_ofOthers_areNone();
};

void TestCriticalPath::ofGraph_random_isTheHeaviestOfAllPaths()
{
    std::mt19937 random(3);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const Graph graph = randomGraph(seed, {.operators = 2 + static_cast<int>(seed % 9)});
        const std::vector<double> us = randomLatencies(graph, random);
        double heaviest = 0;
        for (std::size_t i = 0; i < graph.size(); ++i)
            heaviest = std::max(heaviest, heaviestFrom(graph, OperatorId::fromIndex(i), us));
        const CriticalPath path = criticalPath(graph, us);
        QVERIFY(qAbs(path.us - heaviest) < 1e-9);
        double sum = 0;
        for (std::size_t i = 0; i < path.operators.size(); ++i) {
            sum += us[path.operators[i].index()];
            if (i > 0)
                QVERIFY(std::ranges::count(graph.successors(path.operators[i - 1]), path.operators[i]) == 1);
        }
        QVERIFY(qAbs(sum - heaviest) < 1e-9);
    }
}

void TestCriticalPath::ofSchedule_edited_isNeverShorterThanOfTheGraph()
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        RandomEdits edits(seed, 8, 2);
        std::mt19937 random(seed);
        const std::vector<double> us = randomLatencies(edits.graph, random);
        TimedSchedule schedule;
        schedule.stages = edits.sequential();
        for (int step = 0; step < 20; ++step) {
            if (auto result = applyEdit(edits.graph, edits.blocks, schedule.stages,
                                        edits.anyEdit(schedule.stages, schedule.stages)))
                schedule.stages = result->stages;
            const bool merges = std::ranges::any_of(
                schedule.stages, [](const Stage &stage) { return stage.strategy == Strategy::Merge; });
            if (!merges)
                QVERIFY(criticalPath(schedule, us).us >= criticalPath(edits.graph, us).us - 1e-9);
        }
    }
}

void TestCriticalPath::ofSchedule_sample_takesTheSlowestGroups()
{
    const Sample sample = makeSample();
    std::vector<double> us(sample.graph->size(), 0);
    us[sample.op("a").index()] = 20;
    us[sample.op("b").index()] = 9;
    us[sample.op("c").index()] = 8; // b and c are one group
    us[sample.op("ac").index()] = 5;
    us[sample.op("d").index()] = 10;
    us[sample.op("e").index()] = 30; // merged with d
    us[sample.op("f").index()] = 4;
    const CriticalPath path = criticalPath(*sample.schedule, us);
    QCOMPARE(path.us, 59.0);
    const std::vector<OperatorId> expected{sample.op("a"), sample.op("ac"), sample.op("e"), sample.op("f")};
    QVERIFY(path.operators == expected);
}

void TestCriticalPath::operatorLatencies_ofOneByOne_areItsStages()
{
    const Graph graph = randomGraph(1, {.operators = 7});
    std::vector<double> us(graph.size());
    std::iota(us.begin(), us.end(), 1.0);
    QVERIFY(operatorLatenciesUs(graph, oneByOne(graph, us)) == us);
}

void TestCriticalPath::operatorLatencies_ofOthers_areNone()
{
    const Sample sample = makeSample();
    QVERIFY(operatorLatenciesUs(*sample.graph, *sample.schedule).empty()); // several operators in a stage
    TimedSchedule schedule = oneByOne(*sample.graph, std::vector<double>(sample.graph->size(), 1));
    schedule.measured.stages.clear(); // not measured
    QVERIFY(operatorLatenciesUs(*sample.graph, schedule).empty());
}

STAGECRAFT_SUITE(TestCriticalPath)

} // namespace tst_critical_path
#include "tst_critical_path.moc"
