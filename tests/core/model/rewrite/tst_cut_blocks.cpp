#include "model/built_in.h"
#include "model/ios_json.h"
#include "model/rewrite/cut_blocks.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stagecraft;

namespace tst_cut_blocks {

namespace {

Operator relu(std::string name, InputExpression inputs)
{
    return {std::move(name),
            "Relu",
            OperatorKind::Activation,
            Activation{ActivationKind::Relu, 0, 0},
            std::move(inputs),
            {},
            {}};
}

Operator join(std::string name, InputExpression inputs)
{
    return {std::move(name), "Add", OperatorKind::Join, GenericAttributes{}, std::move(inputs), {}, {}};
}

QString listing(const Graph &graph, const Blocks &blocks)
{
    QString text;
    for (const Block &block : blocks) {
        for (const OperatorId id : block.operators)
            text += QString::fromStdString(graph.op(id).name) + " ";
        text += "\n";
    }
    return text;
}

// Each operator reads a few of the last `reach` tensors.
Graph randomGraph(std::size_t operators, std::size_t reach, unsigned seed)
{
    std::mt19937 random(seed);
    GraphBuilder builder("random");
    std::vector<TensorId> tensors{*builder.addInput("in", {{1, 8, 4, 4}})};
    for (std::size_t i = 0; i < operators; ++i) {
        const std::size_t first = tensors.size() > reach ? tensors.size() - reach : 0;
        std::vector<TensorId> summands;
        for (unsigned k = 0; k <= random() % 3; ++k) {
            const TensorId tensor = tensors[first + random() % (tensors.size() - first)];
            if (std::ranges::count(summands, tensor) == 0)
                summands.push_back(tensor);
        }
        tensors.push_back(*builder.add(join("op" + std::to_string(i), {summands})));
    }
    return *builder.build();
}

} // namespace

class CutBlocksTest : public QObject {
    Q_OBJECT

private slots:
    void cutBlocks_builtInNetwork_findsPublishedBlocks_data();
    void cutBlocks_builtInNetwork_findsPublishedBlocks();
    void cutBlocks_nasnet_joinsOnlyTheTail();
    void cutBlocks_randomGraph_isValidAndBounded_data();
    void cutBlocks_randomGraph_isValidAndBounded();
    void cutBlocks_manyParallelBranches_boundsWidth();
    void cutBlocks_thousandsOfBranches_areCutIntoRuns();
    void cutBlocks_auxiliaryHead_keepsCuttingTheTrunk();
    void cutBlocks_twoHeads_keepsThemTogether();
    void cutBlocks_reluBehindSum_staysWithIt();
    void cutLongBlocks_nasnetWithoutParts_cutsTheLongBlock();
};

void CutBlocksTest::cutBlocks_builtInNetwork_findsPublishedBlocks_data()
{
    QTest::addColumn<int>("count");
    QTest::newRow("sample") << 1;
    QTest::newRow("inception_v3") << 13;
    QTest::newRow("squeezenet") << 12;
    QTest::newRow("randwire") << 6;
}

void CutBlocksTest::cutBlocks_builtInNetwork_findsPublishedBlocks()
{
    QFETCH(int, count);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY(network);
    const Blocks blocks = cutBlocks(network->graph);
    QVERIFY(verifyBlocks(network->graph, blocks));
    QCOMPARE(listing(network->graph, blocks), listing(network->graph, network->blocks));
    QCOMPARE(blocks.size(), std::size_t(count));
}

// The published parts have the final relu and pool as two parts; here a run of single operators is one block.
void CutBlocksTest::cutBlocks_nasnet_joinsOnlyTheTail()
{
    const auto network = builtInNetwork("nasnet");
    QVERIFY(network);
    Blocks expected = network->blocks;
    QCOMPARE(expected.size(), std::size_t(25));
    expected[23].operators.push_back(expected[24].operators.front());
    expected.pop_back();
    const Blocks blocks = cutBlocks(network->graph);
    QCOMPARE(listing(network->graph, blocks), listing(network->graph, expected));
    QVERIFY(verifyBlocks(network->graph, blocks));
}

void CutBlocksTest::cutBlocks_randomGraph_isValidAndBounded_data()
{
    QTest::addColumn<int>("operators");
    QTest::addColumn<int>("reach");
    QTest::newRow("one operator") << 1 << 1;
    QTest::newRow("chain") << 300 << 1;
    QTest::newRow("narrow") << 300 << 3;
    QTest::newRow("wide") << 400 << 40;
    QTest::newRow("anything") << 600 << 600;
    QTest::newRow("large") << 3000 << 12;
}

void CutBlocksTest::cutBlocks_randomGraph_isValidAndBounded()
{
    QFETCH(int, operators);
    QFETCH(int, reach);
    for (unsigned seed = 0; seed < (operators > 1000 ? 1U : 10U); ++seed) {
        const Graph graph = randomGraph(static_cast<std::size_t>(operators), static_cast<std::size_t>(reach), seed);
        const Blocks blocks = cutBlocks(graph);
        const auto valid = verifyBlocks(graph, blocks);
        QVERIFY2(valid, valid ? "" : valid.error().message.c_str());
        for (const Block &block : blocks) {
            QVERIFY(block.operators.size() <= 36);
            QVERIFY(width(graph, block) <= 12);
        }
    }
}

void CutBlocksTest::cutBlocks_manyParallelBranches_boundsWidth()
{
    GraphBuilder builder("wide");
    const TensorId in = *builder.addInput("in", {{1, 8, 4, 4}});
    const TensorId stem = *builder.add(relu("stem", {{in}}));
    InputExpression branches;
    for (int i = 0; i < 20; ++i)
        branches.push_back({*builder.add(relu("branch" + std::to_string(i), {{stem}}))});
    static_cast<void>(*builder.add(join("concat", branches)));
    const Graph graph = *builder.build();
    const Blocks blocks = cutBlocks(graph);
    QVERIFY(verifyBlocks(graph, blocks));
    for (const Block &block : blocks)
        QVERIFY(width(graph, block) <= 12);
}

// Looking at each branch for each other one, at every bound of live tensors, took minutes.
void CutBlocksTest::cutBlocks_thousandsOfBranches_areCutIntoRuns()
{
    GraphBuilder builder("wide");
    const TensorId in = *builder.addInput("in", {{1, 8, 4, 4}});
    for (int i = 0; i < 8000; ++i)
        static_cast<void>(*builder.add(relu("branch" + std::to_string(i), {{in}})));
    const Graph graph = *builder.build();
    const Blocks blocks = cutBlocks(graph);
    QVERIFY(verifyBlocks(graph, blocks));
    QCOMPARE(blocks.size(), std::size_t{8000 / 12 + 1});
}

void CutBlocksTest::cutBlocks_auxiliaryHead_keepsCuttingTheTrunk()
{
    GraphBuilder builder("aux");
    TensorId x = *builder.addInput("in", {{1, 8, 4, 4}});
    for (int module = 0; module < 4; ++module) {
        const std::string name = "m" + std::to_string(module);
        const TensorId a = *builder.add(relu(name + "a", {{x}}));
        const TensorId b = *builder.add(relu(name + "b", {{x}}));
        x = *builder.add(join(name + "sum", {{a, b}}));
        if (module == 0)
            static_cast<void>(*builder.add(relu("head", {{x}})));
    }
    const Graph graph = *builder.build();
    QCOMPARE(listing(graph, cutBlocks(graph)),
             QString("m0a m0b m0sum \nhead m1a m1b m1sum \nm2a m2b m2sum \nm3a m3b m3sum \n"));
}

void CutBlocksTest::cutBlocks_twoHeads_keepsThemTogether()
{
    GraphBuilder builder("heads");
    const TensorId in = *builder.addInput("in", {{1, 8, 4, 4}});
    const TensorId stem = *builder.add(relu("stem", {{in}}));
    for (const char *head : {"boxes", "scores"}) {
        const TensorId first = *builder.add(relu(std::string(head) + "1", {{stem}}));
        static_cast<void>(*builder.add(relu(std::string(head) + "2", {{first}})));
    }
    const Graph graph = *builder.build();
    QCOMPARE(listing(graph, cutBlocks(graph)), QString("stem \nboxes1 boxes2 scores1 scores2 \n"));
}

void CutBlocksTest::cutBlocks_reluBehindSum_staysWithIt()
{
    GraphBuilder builder("residual");
    TensorId x = *builder.addInput("in", {{1, 8, 4, 4}});
    for (const char *name : {"r1", "r2"}) {
        const TensorId branch = *builder.add(relu(std::string(name) + "branch", {{x}}));
        const TensorId inner = *builder.add(relu(std::string(name) + "inner", {{branch}}));
        const TensorId sum = *builder.add(join(std::string(name) + "sum", {{inner, x}}));
        x = *builder.add(relu(std::string(name) + "relu", {{sum}}));
    }
    const Graph graph = *builder.build();
    QCOMPARE(listing(graph, cutBlocks(graph)),
             QString("r1branch r1inner r1sum r1relu \nr2branch r2inner r2sum r2relu \n"));
}

void CutBlocksTest::cutLongBlocks_nasnetWithoutParts_cutsTheLongBlock()
{
    const auto network = builtInNetwork("nasnet");
    QVERIFY(network);
    Blocks two(2);
    for (std::size_t i = 0; i + 1 < network->graph.size(); ++i)
        two[0].operators.push_back(OperatorId::fromIndex(i));
    two[1].operators = network->blocks.back().operators;
    const Blocks blocks = cutLongBlocks(network->graph, two);
    QVERIFY(verifyBlocks(network->graph, blocks));
    QVERIFY2(blocks.size() >= 23 && blocks.size() <= 25, qPrintable(listing(network->graph, blocks)));
    QCOMPARE(cutLongBlocks(network->graph, network->blocks), network->blocks);
}

STAGECRAFT_SUITE(CutBlocksTest)

} // namespace tst_cut_blocks
#include "tst_cut_blocks.moc"
