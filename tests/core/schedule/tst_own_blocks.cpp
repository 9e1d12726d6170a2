#include "graph/graph_union.h"
#include "schedule/edit/edit.h"
#include "schedule/edit/edit_places.h"
#include "schedule/own_blocks.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <array>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_own_blocks {

namespace {

// Two models of a few operators, a block each, and stages that have one operator of each.
struct Both {
    std::array<Graph, 2> graphs{randomGraph(5, {.operators = 4}), randomGraph(6, {.operators = 4})};
    GraphUnion joined = unionOf(std::array{NamedGraph{"x", &graphs[0]}, NamedGraph{"y", &graphs[1]}});
    Blocks blocks;
    std::vector<Stage> stages;

    Both()
    {
        for (const UnionPart &part : joined.parts) {
            Block &block = blocks.emplace_back();
            for (std::size_t i = 0; i < part.operators; ++i)
                block.operators.push_back(part.idOf(OperatorId::fromIndex(i)));
        }
        for (std::size_t i = 0; i < 4; ++i)
            stages.push_back(stageOf(
                joined.graph, 0,
                {joined.parts[0].idOf(OperatorId::fromIndex(i)), joined.parts[1].idOf(OperatorId::fromIndex(i))},
                Strategy::Concurrent));
    }
};

} // namespace

class TestOwnBlocks : public QObject {
    Q_OBJECT

private slots:
    void ownBlocks_stagesOfBlocks_areNone();
    void ownBlocks_stagesOverBoth_areThoseOfTheStages();
    void ownBlocks_numberThatNoBlockCanHave_areNone();
    void edit_stagesOverBoth_isLegal();
};

void TestOwnBlocks::ownBlocks_stagesOfBlocks_areNone()
{
    const Both both;
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < both.joined.graph.size(); ++i)
        stages.push_back(stageOf(both.joined.graph, i < 4 ? 0 : 1, {OperatorId::fromIndex(i)}, Strategy::Concurrent));
    QVERIFY(!ownBlocks(both.joined.graph, both.blocks, stages));
}

void TestOwnBlocks::ownBlocks_stagesOverBoth_areThoseOfTheStages()
{
    const Both both;
    const auto own = ownBlocks(both.joined.graph, both.blocks, both.stages);
    QVERIFY(own.has_value());
    QCOMPARE(own->size(), std::size_t{1});
    QCOMPARE(own->front().operators.size(), std::size_t{8});
    Schedule schedule;
    schedule.stages = both.stages;
    QVERIFY(!verifySchedule(both.joined.graph, both.blocks, schedule));
    QVERIFY(verifySchedule(both.joined.graph, *own, schedule).has_value());
}

void TestOwnBlocks::ownBlocks_numberThatNoBlockCanHave_areNone()
{
    Both both;
    both.stages.back().block = 99;
    QVERIFY(!ownBlocks(both.joined.graph, both.blocks, both.stages));
}

void TestOwnBlocks::edit_stagesOverBoth_isLegal()
{
    const Both both;
    const OperatorId moved = both.joined.parts[1].idOf(OperatorId::fromIndex(3));
    const auto edited =
        applyEdit(both.joined.graph, both.blocks, both.stages, MoveToNewStage{{moved}, both.stages.size()});
    QVERIFY2(edited.has_value(), edited ? "" : edited.error().message.c_str());
    QCOMPARE(edited->stages.size(), both.stages.size() + 1);
    const auto places = editPlaces(both.joined.graph, both.blocks, both.stages, std::array{moved});
    QVERIFY(std::ranges::any_of(places, [](const EditPlaceAnswer &answer) {
        return answer.place.stage == 3 && answer.place.isNew && answer.legal.has_value();
    }));
}

STAGECRAFT_SUITE(TestOwnBlocks)

} // namespace tst_own_blocks
#include "tst_own_blocks.moc"
