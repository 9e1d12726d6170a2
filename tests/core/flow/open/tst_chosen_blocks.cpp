// Blocks that a person joins and cuts: any choice gives blocks that hold, schedules move to them where their stages
// fit, a search over joined blocks is never worse, and what cannot be is refused by name.

#include "flow/open/carry_schedule.h"
#include "flow/open_model.h"
#include "model/rewrite/chosen_blocks.h"
#include "schedule/edit/move_to_blocks.h"
#include "schedule/verify.h"
#include "search/stages/baselines.h"
#include "search/stages/search.h"
#include "support/latency_sources.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <random>
#include <set>
#include <string>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_chosen_blocks {
namespace {

Reading randomReading(const Graph &graph, std::uint32_t seed)
{
    std::mt19937 random(seed);
    Reading reading;
    for (const Operator &op : graph.operators()) {
        if (random() % 4 == 0)
            reading.joinedAfter.insert(op.name);
        if (random() % 5 == 0)
            reading.cutAfter.insert(op.name);
    }
    return reading;
}

std::string text(const Graph &graph, const Blocks &blocks)
{
    std::string words;
    for (const Block &block : blocks) {
        words += words.empty() ? "" : "; ";
        for (const OperatorId id : block.operators)
            words += (id == block.operators.front() ? "" : " ") + graph.op(id).name;
    }
    return words;
}

// a -> b -> d, a -> c -> d, d -> e
Graph diamond()
{
    GraphBuilder builder("diamond");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 8)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 8)));
    const TensorId d = take(builder.add(join("d", {{b}, {c}})));
    static_cast<void>(take(builder.add(conv("e", {{d}}, 8))));
    return take(builder.build());
}

Model opened(const std::string &spec, const Reading &reading = {})
{
    return take(openedModel(spec, {.reading = reading}));
}

} // namespace

class TestChosenBlocks : public QObject {
    Q_OBJECT

private slots:
    void chosenBlocks_cut_isBehindWhatLeadsToTheOperator();
    void chosenBlocks_anyChoice_holdsOrIsRefused();
    void joinedBehind_takesBackACut();
    void search_ofJoinedBlocks_isNeverWorse();
    void movedToBlocks_stages_keepTheirLatencies();
    void carrySchedule_ofOtherUnits_isRefused();
    void openModel_apart_leavesUnitsToThemselves();
    void openModel_whatCannotBe_isRefusedByName_data();
    void openModel_whatCannotBe_isRefusedByName();
};

void TestChosenBlocks::chosenBlocks_cut_isBehindWhatLeadsToTheOperator()
{
    const Graph graph = diamond();
    const Blocks whole = consecutiveBlocks(graph, 1);
    QCOMPARE(text(graph, take(chosenBlocks(graph, whole, {.cutAfter = {"c"}}))), std::string("a c; b d e"));
    QCOMPARE(text(graph, take(chosenBlocks(graph, whole, {.cutAfter = {"c", "b"}}))), std::string("a b; c; d e"));
    const Blocks two = take(chosenBlocks(graph, whole, {.cutAfter = {"d"}}));
    QCOMPARE(text(graph, two), std::string("a b c d; e"));
    QCOMPARE(take(chosenBlocks(graph, two, {.joinedAfter = {"b"}})), whole);
    QCOMPARE(text(graph, take(chosenBlocks(graph, two, {.joinedAfter = {"b"}, .cutAfter = {"a"}}))),
             std::string("a; b c d e"));
}

void TestChosenBlocks::chosenBlocks_anyChoice_holdsOrIsRefused()
{
    int made = 0;
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Graph graph = randomGraph(seed, {.operators = 12});
        const Blocks before = consecutiveBlocks(graph, 1 + seed % 4);
        const Reading reading = randomReading(graph, seed);
        const auto blocks = chosenBlocks(graph, before, reading);
        if (!blocks) {
            QVERIFY2(!blocks.error().context.empty() && !blocks.error().remedy.empty(), blocks.error().message.c_str());
            continue;
        }
        ++made;
        QVERIFY(verifyBlocks(graph, *blocks));
        for (const TimedSchedule &schedule : {sequentialSchedule(graph, before), greedySchedule(graph, before)}) {
            const auto moved = movedToBlocks(graph, *blocks, schedule);
            if (moved)
                QVERIFY(verifySchedule(graph, *blocks, *moved));
            else
                QVERIFY(QString::fromStdString(moved.error().message).contains(" is in block "));
        }
    }
    QVERIFY2(made > 50, qPrintable(QString::number(made)));
}

void TestChosenBlocks::joinedBehind_takesBackACut()
{
    const Graph graph = diamond();
    const Blocks whole = consecutiveBlocks(graph, 1);
    const Reading cut{.cutAfter = {"c"}};
    const Blocks two = take(chosenBlocks(graph, whole, cut));
    QVERIFY(joinedBehind(graph, two.front(), cut).isUsual());
    const Reading joined = joinedBehind(graph, two.front(), {});
    QCOMPARE(joined.joinedAfter, (std::set<std::string>{"c"}));
    QCOMPARE(take(chosenBlocks(graph, two, joined)), whole);
}

void TestChosenBlocks::search_ofJoinedBlocks_isNeverWorse()
{
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const Graph graph = randomGraph(seed, {.operators = 9});
        const Blocks apart = consecutiveBlocks(graph, 3);
        Reading reading;
        for (const Block &block : apart) {
            if (&block != &apart.back())
                reading = joinedBehind(graph, block, reading);
        }
        const Blocks joined = take(chosenBlocks(graph, apart, reading));
        QCOMPARE(joined.size(), std::size_t{1});
        const auto best = [&](const Blocks &blocks) {
            RandomSource latencies(graph, seed);
            return *take(searchSchedule(graph, blocks, latencies, {})).schedule.latencyUs();
        };
        QVERIFY(best(joined) <= best(apart) + 1e-9);
    }
}

void TestChosenBlocks::movedToBlocks_stages_keepTheirLatencies()
{
    const Graph graph = diamond();
    const Blocks whole = consecutiveBlocks(graph, 1);
    TimedSchedule schedule = sequentialSchedule(graph, whole); // a; b; c; d; e
    for (int i = 1; i <= 5; ++i)
        schedule.measured.stages.push_back(Timing::ofLatency(i));
    schedule.measured.whole = Timing::ofLatency(15);
    schedule.search.gap = 0;
    schedule.search.termination = Termination::Optimal;

    const auto inOrder = take(movedToBlocks(graph, take(chosenBlocks(graph, whole, {.cutAfter = {"d"}})), schedule));
    QCOMPARE(inOrder.stages.back().block, std::size_t{1});
    QCOMPARE(inOrder.measured, schedule.measured);
    QVERIFY(std::isinf(inOrder.search.gap) && inOrder.search.termination == Termination::None); // of other blocks

    const auto other = take(movedToBlocks(graph, take(chosenBlocks(graph, whole, {.cutAfter = {"c"}})), schedule));
    QCOMPARE(graph.op(other.stages[1].groups[0][0]).name, std::string("c"));
    QCOMPARE(other.stageLatenciesUs(), (std::vector<double>{1, 3, 2, 4, 5}));
    QVERIFY(!other.latencyUs()); // it ran in another order
}

void TestChosenBlocks::carrySchedule_ofOtherUnits_isRefused()
{
    const Model before = opened("squeezenet");
    const TimedSchedule schedule = sequentialSchedule(*before.graph, before.blocks);
    const Model split = opened("squeezenet", {.splits = {{"conv1", 2}}});
    QVERIFY(carrySchedule(before, schedule, split));
    QCOMPARE(carrySchedule(split, sequentialSchedule(*split.graph, split.blocks), before).error().message,
             std::string("its operators are others now"));
    const std::string end = before.graph->op(before.blocks.front().operators.back()).name;
    const Model joined = opened("squeezenet", {.splits = {{"conv1", 2}}, .joinedAfter = {end}});
    const auto both = take(carrySchedule(before, schedule, joined));
    QVERIFY(verifySchedule(*joined.graph, joined.blocks, both));
    QVERIFY(both.context.model == joined.reference());
}

void TestChosenBlocks::openModel_apart_leavesUnitsToThemselves()
{
    const std::string file = sourcePath("tests/data/onnx/conv_norm_relu.onnx").toStdString();
    const Model usual = opened(file);
    std::set<std::string> fused;
    for (const PassReport &pass : usual.report.passes) {
        for (const PassChange &change : pass.changes) {
            if (change.before.isValid() && change.unit.isValid())
                fused.insert(change.name);
        }
    }
    QVERIFY(!fused.empty());
    const Model apart = opened(file, {.apart = fused});
    for (const std::string &name : fused)
        QVERIFY2(apart.graph->find(name), name.c_str());
    QVERIFY(apart.graph->size() > usual.graph->size());
}

void TestChosenBlocks::openModel_whatCannotBe_isRefusedByName_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("says");
    QTest::newRow("cut after nothing") << "cut"
                                       << "nothing"
                                       << "the model has no operator nothing, after which a block is to be cut";
    QTest::newRow("joined after nothing") << "join"
                                          << "nothing"
                                          << "the model has no operator nothing, after which blocks are to be joined";
    QTest::newRow("cut behind all") << "cut"
                                    << "concat"
                                    << "all of its block lead to it: nothing is left to cut off";
    QTest::newRow("join the last") << "join"
                                   << "conv1"
                                   << "it is in the last block: there is none behind to join it with";
    QTest::newRow("apart of units") << "apart"
                                    << "conv1"
                                    << "sample consists of schedule units already: no pass runs on it";
}

void TestChosenBlocks::openModel_whatCannotBe_isRefusedByName()
{
    QFETCH(const QString, what);
    QFETCH(const QString, op);
    QFETCH(const QString, says);
    const std::set<std::string> names{op.toStdString()};
    Reading reading;
    (what == QStringLiteral("cut")    ? reading.cutAfter
     : what == QStringLiteral("join") ? reading.joinedAfter
                                      : reading.apart) = names;
    const auto refused = openModel({.spec = "sample", .reading = reading});
    QVERIFY(!refused);
    QCOMPARE(QString::fromStdString(refused.error().message), says);
    QVERIFY(!refused.error().remedy.empty());
}

STAGECRAFT_SUITE(TestChosenBlocks)

} // namespace tst_chosen_blocks
#include "tst_chosen_blocks.moc"
