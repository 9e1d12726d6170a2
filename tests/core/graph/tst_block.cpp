#include "graph/block.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_block {

namespace {

// The input feeds a, b and c; d reads a; e joins d, b and c.
Graph forkAndJoin()
{
    GraphBuilder builder("fork");
    const TensorId input = take(builder.addInput("input", {{1, 8, 10, 10}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{input}}, 8)));
    const TensorId c = take(builder.add(conv("c", {{input}}, 8)));
    const TensorId d = take(builder.add(conv("d", {{a}}, 8)));
    take(builder.add(join("e", {{d}, {b}, {c}})));
    return take(builder.build());
}

Block blockOf(std::initializer_list<std::uint32_t> ids)
{
    Block block;
    for (const std::uint32_t id : ids)
        block.operators.push_back(OperatorId{id});
    return block;
}

} // namespace

class TestBlock : public QObject {
    Q_OBJECT

private slots:
    void width_isTheLargestAntichain();
    void transitionBound_ofThePaper();
    void verifyBlocks_data();
    void verifyBlocks();
};

void TestBlock::width_isTheLargestAntichain()
{
    const Graph graph = forkAndJoin();
    QCOMPARE(width(graph, blockOf({0, 1, 2, 3, 4})), 3);
    QCOMPARE(width(graph, blockOf({0, 3, 4})), 1);
    QCOMPARE(width(graph, blockOf({1, 2, 3})), 3);
}

void TestBlock::transitionBound_ofThePaper()
{
    // Table 1 of the paper: 2.6e4 for n = 11, d = 6 and 2.2e2 for n = 6, d = 3.
    QVERIFY(std::abs(transitionBound(11, 6) - 2.6e4) < 0.05e4);
    QVERIFY(std::abs(transitionBound(6, 3) - 2.2e2) < 0.05e2);
}

void TestBlock::verifyBlocks_data()
{
    QTest::addColumn<QList<QList<int>>>("ids");
    QTest::addColumn<QString>("message"); // empty: accepted
    QTest::newRow("one block") << QList<QList<int>>{{0, 1, 2, 3, 4}} << "";
    QTest::newRow("two blocks") << QList<QList<int>>{{0, 1, 3}, {2, 4}} << "";
    QTest::newRow("twice") << QList<QList<int>>{{0, 1, 2}, {2, 3, 4}} << "in two blocks";
    QTest::newRow("missing") << QList<QList<int>>{{0, 1, 2, 3}} << "in no block";
    QTest::newRow("backwards") << QList<QList<int>>{{3, 4}, {0, 1, 2}} << "of a later block";
    QTest::newRow("empty") << QList<QList<int>>{{}, {0, 1, 2, 3, 4}} << "0 operators";
    QTest::newRow("foreign") << QList<QList<int>>{{0, 1, 2, 3, 4, 5}} << "does not have";
}

void TestBlock::verifyBlocks()
{
    QFETCH(const QList<QList<int>>, ids);
    QFETCH(const QString, message);
    Blocks blocks;
    for (const QList<int> &block : ids) {
        blocks.emplace_back();
        for (const int id : block)
            blocks.back().operators.push_back(OperatorId::fromIndex(static_cast<std::size_t>(id)));
    }
    const auto verified = stagecraft::verifyBlocks(forkAndJoin(), blocks);
    QCOMPARE(verified.has_value(), message.isEmpty());
    if (!verified)
        QVERIFY2(verified.error().message.find(message.toStdString()) != std::string::npos,
                 verified.error().message.c_str());
}

STAGECRAFT_SUITE(TestBlock)

} // namespace tst_block
#include "tst_block.moc"
