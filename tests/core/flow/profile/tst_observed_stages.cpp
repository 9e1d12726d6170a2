#include "flow/profile/observed_stages.h"
#include "schedule/verify.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_observed_stages {

namespace {

// x -> a -> (b -> d), c -> sum -> e, in one block.
struct Network {
    Graph graph;
    Blocks blocks;
};

Network network()
{
    GraphBuilder builder("network");
    const TensorId x = take(builder.addInput("x", Shape{{1, 4, 6, 6}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 4)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 4)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 4)));
    const TensorId d = take(builder.add(conv("d", {{b}}, 4)));
    const TensorId sum = take(builder.add(join("sum", {{d, c}})));
    (void)take(builder.add(conv("e", {{sum}}, 4)));
    Network made{take(builder.build()), {}};
    Block all;
    for (std::size_t i = 0; i < made.graph.size(); ++i)
        all.operators.push_back(OperatorId::fromIndex(i));
    made.blocks = {all};
    return made;
}

ObservedKernel kernel(const Graph &graph, std::vector<std::string> names, std::int64_t startNs, std::int64_t endNs,
                      std::uint32_t stream = 0)
{
    ObservedKernel made{.operators = {}, .startNs = startNs, .endNs = endNs, .stream = stream};
    for (const std::string &name : names)
        made.operators.push_back(*graph.find(name));
    return made;
}

// "a | b, c | d": stages apart by |, groups by a comma, operators of a group by +.
QString stagesText(const Graph &graph, const std::vector<Stage> &stages)
{
    QStringList all;
    for (const Stage &stage : stages) {
        QStringList groups;
        for (const auto &group : stage.groups) {
            QStringList names;
            for (const OperatorId id : group)
                names << QString::fromStdString(graph.op(id).name);
            groups << names.join("+");
        }
        all << groups.join(", ");
    }
    return all.join(" | ");
}

QString observed(const Network &made, const std::vector<ObservedKernel> &kernels, std::vector<std::string> *notes = {})
{
    const ObservedStages stages = observedStages(made.graph, made.blocks, kernels);
    Schedule schedule;
    schedule.stages = stages.stages;
    if (const auto legal = verifySchedule(made.graph, made.blocks, schedule); !legal)
        return QString::fromStdString(legal.error().message);
    if (notes)
        *notes = stages.notes;
    return stagesText(made.graph, stages.stages);
}

} // namespace

class TestObservedStages : public QObject {
    Q_OBJECT

private slots:
    void observe_oneAfterTheOther_isAStageEach();
    void observe_besideEachOther_areOneStage();
    void observe_overlapOnOneStream_isNone();
    void observe_fusedAndWithoutTime_joinTheirNeighbours();
    void observe_noTimeBetweenGroups_tiesNothingTogether();
    void observe_nothing_isAStageEach();
    void observe_impossibleOverlap_fallsApartWithANote();
    void observe_otherOrder_isMadeLegalWithANote();
    void observe_blocks_staySeparate();
    void observe_anything_isLegal();
};

void TestObservedStages::observe_oneAfterTheOther_isAStageEach()
{
    const Network made = network();
    std::vector<std::string> notes;
    std::vector<ObservedKernel> kernels;
    for (const char *name : {"a", "c", "b", "d", "sum", "e"})
        kernels.push_back(kernel(made.graph, {name}, static_cast<std::int64_t>(kernels.size()) * 10,
                                 static_cast<std::int64_t>(kernels.size()) * 10 + 8));
    QCOMPARE(observed(made, kernels, &notes), QString("a | c | b | d | sum | e")); // as it ran
    QVERIFY(notes.empty());
}

void TestObservedStages::observe_besideEachOther_areOneStage()
{
    const Network made = network();
    const Graph &graph = made.graph;
    QCOMPARE(
        observed(made, {kernel(graph, {"a"}, 0, 10), kernel(graph, {"b"}, 10, 20), kernel(graph, {"c"}, 12, 30, 1),
                        kernel(graph, {"d"}, 20, 28), kernel(graph, {"sum"}, 30, 33), kernel(graph, {"e"}, 33, 40)}),
        QString("a | b+d, c | sum | e"));
}

// Slices that overlap on one row are rounded, unless they are of a CUDA graph, whose kernels all lie on one.
void TestObservedStages::observe_overlapOnOneStream_isNone()
{
    const Network made = network();
    const Graph &graph = made.graph;
    std::vector<ObservedKernel> kernels{kernel(graph, {"a"}, 0, 10),    kernel(graph, {"b"}, 10, 21),
                                        kernel(graph, {"c"}, 20, 30),   kernel(graph, {"d"}, 30, 40),
                                        kernel(graph, {"sum"}, 40, 50), kernel(graph, {"e"}, 50, 60)};
    QCOMPARE(observed(made, kernels), QString("a | b | c | d | sum | e"));
    for (ObservedKernel &each : kernels)
        each.isOfGraph = true;
    QCOMPARE(observed(made, kernels), QString("a | b, c | d | sum | e"));
}

void TestObservedStages::observe_fusedAndWithoutTime_joinTheirNeighbours()
{
    const Network made = network();
    const Graph &graph = made.graph;
    // b and d are one kernel; a is read by it alone after c; sum has no time and is read by e.
    QCOMPARE(observed(made, {kernel(graph, {"a"}, 0, 10), kernel(graph, {"c"}, 10, 20),
                             kernel(graph, {"d", "b"}, 20, 30), kernel(graph, {"e"}, 30, 40)}),
             QString("a | c | b+d | sum+e"));
}

// A sum that took no time would join b and c, which ran beside each other, into one group.
void TestObservedStages::observe_noTimeBetweenGroups_tiesNothingTogether()
{
    const Network made = network();
    const Graph &graph = made.graph;
    QCOMPARE(
        observed(made, {kernel(graph, {"b"}, 0, 10), kernel(graph, {"c"}, 0, 10, 1), kernel(graph, {"d"}, 10, 20)}),
        QString("a | b, c | d+sum+e"));
}

void TestObservedStages::observe_nothing_isAStageEach()
{
    QCOMPARE(observed(network(), {}), QString("a | b | c | d | sum | e"));
}

// a and d ran beside each other, though d reads from a through b.
void TestObservedStages::observe_impossibleOverlap_fallsApartWithANote()
{
    const Network made = network();
    const Graph &graph = made.graph;
    std::vector<std::string> notes;
    QCOMPARE(observed(made,
                      {kernel(graph, {"a"}, 0, 20), kernel(graph, {"d"}, 10, 22, 1), kernel(graph, {"b"}, 22, 30),
                       kernel(graph, {"c"}, 30, 40), kernel(graph, {"sum"}, 40, 44), kernel(graph, {"e"}, 44, 50)},
                      &notes),
             QString("a | b | d | c | sum | e"));
    QVERIFY2(notes.front().starts_with("a, d ran beside operators that they depend on"), notes.front().c_str());
    QVERIFY2(notes.back().starts_with("d ran earlier than edges and blocks allow"), notes.back().c_str());
}

void TestObservedStages::observe_otherOrder_isMadeLegalWithANote()
{
    const Network made = network();
    const Graph &graph = made.graph;
    std::vector<std::string> notes;
    QCOMPARE(observed(made,
                      {kernel(graph, {"b"}, 0, 10), kernel(graph, {"a"}, 10, 20), kernel(graph, {"c"}, 20, 30),
                       kernel(graph, {"d"}, 30, 40), kernel(graph, {"sum"}, 40, 44), kernel(graph, {"e"}, 44, 50)},
                      &notes),
             QString("a | b | c | d | sum | e"));
    QCOMPARE(notes.size(), 1U);
    QVERIFY2(notes.front().starts_with("b ran earlier than edges and blocks allow"), notes.front().c_str());
}

void TestObservedStages::observe_blocks_staySeparate()
{
    Network made = network();
    made.blocks = {Block{{made.blocks[0].operators.begin(), made.blocks[0].operators.begin() + 3}},
                   Block{{made.blocks[0].operators.begin() + 3, made.blocks[0].operators.end()}}};
    const Graph &graph = made.graph;
    std::vector<std::string> notes;
    // c runs beside d, which is of the second block; sum and e are one kernel with c, too.
    QCOMPARE(observed(made,
                      {kernel(graph, {"a"}, 0, 10), kernel(graph, {"b"}, 10, 20), kernel(graph, {"c", "sum"}, 20, 40),
                       kernel(graph, {"d"}, 25, 35, 1), kernel(graph, {"e"}, 40, 50)},
                      &notes),
             QString("a | b | c | d | sum+e"));
    QCOMPARE(notes.size(), 2U);
    QVERIFY2(notes[0].starts_with("d ran beside operators of another block"), notes[0].c_str());
    QVERIFY2(notes[1].starts_with("sum ran in one kernel with operators of another block"), notes[1].c_str());
}

void TestObservedStages::observe_anything_isLegal()
{
    const Network made = network();
    std::mt19937 random(3);
    const auto below = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    for (int round = 0; round < 2000; ++round) {
        std::vector<ObservedKernel> kernels;
        std::int64_t startNs = 0;
        for (std::size_t count = below(12); count > 0; --count) {
            startNs += static_cast<std::int64_t>(below(8));
            ObservedKernel each{.operators = {},
                                .startNs = startNs,
                                .endNs = startNs + static_cast<std::int64_t>(below(20)),
                                .stream = static_cast<std::uint32_t>(below(3))};
            for (std::size_t i = 0; i <= below(3); ++i) {
                const OperatorId id = OperatorId::fromIndex(below(made.graph.size()));
                if (std::ranges::find(each.operators, id) == each.operators.end())
                    each.operators.push_back(id);
            }
            kernels.push_back(std::move(each));
        }
        Schedule schedule;
        schedule.stages = observedStages(made.graph, made.blocks, kernels).stages;
        const auto legal = verifySchedule(made.graph, made.blocks, schedule);
        QVERIFY2(legal, legal ? "" : legal.error().message.c_str());
    }
}

STAGECRAFT_SUITE(TestObservedStages)

} // namespace tst_observed_stages
#include "tst_observed_stages.moc"
