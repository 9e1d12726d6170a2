// Schedules whose operators were split: parts side by side, joins behind them, always legal.

#include "model/rewrite/split_operators.h"
#include "schedule/edit/split_stages.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "search/stages/baselines.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <random>
#include <string>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_split_stages {
namespace {

// a and b read the input, c reads a.
Graph small()
{
    GraphBuilder builder("small");
    const TensorId input = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 8)));
    static_cast<void>(take(builder.add(conv("b", {{input}}, 8))));
    static_cast<void>(take(builder.add(conv("c", {{a}}, 8))));
    return take(builder.build());
}

std::string text(const Graph &graph, const Schedule &schedule)
{
    std::string text;
    for (const Stage &stage : schedule.stages) {
        text += text.empty() ? "" : "; ";
        for (std::size_t i = 0; i < stage.groups.size(); ++i) {
            text += i > 0 ? " | " : "";
            for (const OperatorId id : stage.groups[i])
                text += (id == stage.groups[i].front() ? "" : " ") + graph.op(id).name;
        }
    }
    return text;
}

} // namespace

class TestSplitStages : public QObject {
    Q_OBJECT

private slots:
    void splitStages_operatorAlone_runsInPartsBeforeItsJoin()
    {
        const Graph graph = small();
        const SplitGraph split = take(splitOperators(graph, {{"a", 2}}));
        const Schedule schedule{{stageOf(graph, 0, {OperatorId{0}, OperatorId{1}}, Strategy::Concurrent),
                                 stageOf(graph, 0, {OperatorId{2}}, Strategy::Concurrent)},
                                {},
                                {}};
        QCOMPARE(text(split.graph, take(splitStages(graph, schedule, split.became))),
                 std::string("a.part1 | a.part2 | b; a.join; c"));
    }

    void splitStages_operatorInAChain_isReplacedThere()
    {
        const Graph graph = small();
        const SplitGraph split = take(splitOperators(graph, {{"a", 2}}));
        const Schedule schedule{
            {stageOf(graph, 0, {OperatorId{0}, OperatorId{1}, OperatorId{2}}, Strategy::Concurrent)}, {}, {}};
        QCOMPARE(text(split.graph, take(splitStages(graph, schedule, split.became))),
                 std::string("a.part1 a.part2 a.join c | b"));
    }

    void splitStages_mergedOperator_isRefused()
    {
        const Graph graph = small();
        const SplitGraph split = take(splitOperators(graph, {{"b", 2}}));
        const Schedule schedule{{stageOf(graph, 0, {OperatorId{0}, OperatorId{1}}, Strategy::Merge),
                                 stageOf(graph, 0, {OperatorId{2}}, Strategy::Concurrent)},
                                {},
                                {}};
        const auto refused = splitStages(graph, schedule, split.became);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message, std::string("it is merged with others of its stage, one of which is split"));
    }

    void splitStages_anySchedule_staysLegal()
    {
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            const Graph graph = randomGraph(seed, {.operators = 8});
            std::mt19937 random(seed);
            OperatorSplits splits;
            for (const Operator &op : graph.operators()) {
                if (random() % 3 == 0)
                    splits.emplace(op.name, 2 + random() % 3);
            }
            const Blocks blocks = consecutiveBlocks(graph, 1 + seed % 3);
            const SplitGraph split = take(splitOperators(graph, splits));
            for (const TimedSchedule &schedule : {sequentialSchedule(graph, blocks), greedySchedule(graph, blocks)}) {
                const auto made = take(splitStages(graph, schedule, split.became));
                const auto verified = verifySchedule(split.graph, split.blocksOf(blocks), made);
                QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
            }
        }
    }
};

STAGECRAFT_SUITE(TestSplitStages)

} // namespace tst_split_stages
#include "tst_split_stages.moc"
