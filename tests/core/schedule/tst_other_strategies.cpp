#include "schedule/other_strategies.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_other_strategies {

class TestOtherStrategies : public QObject {
    Q_OBJECT

private slots:
    void otherStrategies_likeConvolutions_canBeMergedOrFused();
    void otherStrategies_unlikeOperators_cannotBeMerged();
    void otherStrategies_chainOfEqualConvolutions_cannotBeMerged();
    void otherStrategies_oneOperator_hasNone();
};

Graph threeConvolutions()
{
    GraphBuilder builder("g");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    take(builder.add(conv("a", {{x}}, 8, 3)));
    const TensorId b = take(builder.add(conv("b", {{x}}, 8, 3)));
    take(builder.add(conv("c", {{b}}, 8, 1)));
    return take(builder.build());
}

std::vector<Strategy> strategiesOf(const Graph &graph, const Stage &stage)
{
    std::vector<Strategy> strategies;
    for (const Stage &other : otherStrategies(graph, stage)) {
        if (!verifyStage(graph, other) || operatorsOf(other) != operatorsOf(stage))
            return {};
        strategies.push_back(other.strategy);
    }
    return strategies;
}

void TestOtherStrategies::otherStrategies_likeConvolutions_canBeMergedOrFused()
{
    const Graph graph = threeConvolutions();
    const std::vector<OperatorId> both{OperatorId{0}, OperatorId{1}};
    const auto others = [&](Strategy strategy) { return strategiesOf(graph, stageOf(graph, 0, both, strategy)); };
    QVERIFY((others(Strategy::Concurrent) == std::vector{Strategy::Merge, Strategy::Fused}));
    QVERIFY((others(Strategy::Merge) == std::vector{Strategy::Concurrent, Strategy::Fused}));
    QVERIFY((others(Strategy::Fused) == std::vector{Strategy::Concurrent, Strategy::Merge}));
}

void TestOtherStrategies::otherStrategies_unlikeOperators_cannotBeMerged()
{
    const Graph graph = threeConvolutions();
    const Stage chain = stageOf(graph, 0, {OperatorId{1}, OperatorId{2}}, Strategy::Concurrent);
    QVERIFY(strategiesOf(graph, chain) == std::vector{Strategy::Fused});
}

void TestOtherStrategies::otherStrategies_chainOfEqualConvolutions_cannotBeMerged()
{
    GraphBuilder builder("chain");
    const TensorId a = take(builder.add(conv("a", {{take(builder.addInput("x", Shape{{1, 8, 8, 8}}))}}, 8, 3)));
    take(builder.add(conv("b", {{a}}, 8, 3)));
    const Graph graph = take(builder.build());
    const Stage chain = stageOf(graph, 0, {OperatorId{0}, OperatorId{1}}, Strategy::Concurrent);
    QVERIFY(strategiesOf(graph, chain) == std::vector{Strategy::Fused});
}

void TestOtherStrategies::otherStrategies_oneOperator_hasNone()
{
    const Graph graph = threeConvolutions();
    QVERIFY(otherStrategies(graph, stageAlone(OperatorId{0})).empty());
}

STAGECRAFT_SUITE(TestOtherStrategies)

} // namespace tst_other_strategies
#include "tst_other_strategies.moc"
