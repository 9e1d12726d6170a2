#include "graph/graph_union.h"
#include "graph/union_parts.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_union {

class TestGraphUnion : public QObject {
    Q_OBJECT

private slots:
    void distinctNames_equalOnes_areNumbered();
    void unionOf_randomGraphs_keepsEachGraph();
    void unionOf_oneGraphTwice_keepsItsParameters();
    void blocksIn_part_areThoseOfItsOperators();
    void partsOfUnion_union_areItsOwn();
    void partsOfUnion_otherGraph_areNone();
};

void TestGraphUnion::distinctNames_equalOnes_areNumbered()
{
    const std::vector<std::string> expected{"a", "b", "a#2", "a#2#2", "a#3"};
    QCOMPARE(distinctNames({"a", "b", "a", "a#2", "a"}), expected);
}

void TestGraphUnion::unionOf_randomGraphs_keepsEachGraph()
{
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const std::array<Graph, 2> graphs{randomGraph(seed, {.operators = 1 + static_cast<int>(seed % 7)}),
                                          randomGraph(seed + 100, {.operators = 5})};
        const GraphUnion joined = unionOf(std::array{NamedGraph{"x", &graphs[0]}, NamedGraph{"y", &graphs[1]}});
        QCOMPARE(joined.graph.name(), std::string("x+y"));
        QCOMPARE(joined.graph.size(), graphs[0].size() + graphs[1].size());
        std::size_t inputs = 0;
        std::size_t outputs = 0;
        for (std::size_t model = 0; model < 2; ++model) {
            const UnionPart &part = joined.parts[model];
            const Graph &own = graphs[model];
            QCOMPARE(part.operators, own.size());
            for (std::size_t i = 0; i < own.size(); ++i) {
                const OperatorId id = OperatorId::fromIndex(i);
                const OperatorId there = part.idOf(id);
                QVERIFY(part.contains(there) && !joined.parts[1 - model].contains(there));
                QCOMPARE(joined.graph.op(there).name, part.name + "/" + own.op(id).name);
                QCOMPARE(joined.graph.find(part.name + "/" + own.op(id).name), there);
                QCOMPARE(joined.graph.outputShape(there).dims, own.outputShape(id).dims);
                std::vector<OperatorId> readers;
                for (const OperatorId next : own.successors(id))
                    readers.push_back(part.idOf(next));
                const auto found = joined.graph.successors(there);
                QCOMPARE(std::vector(found.begin(), found.end()), readers);
            }
            for (const TensorId input : own.inputs())
                QCOMPARE(joined.graph.tensor(joined.graph.inputs()[inputs++]).name,
                         part.name + "/" + own.tensor(input).name);
            for (const TensorId output : own.outputs())
                QCOMPARE(joined.graph.tensor(joined.graph.outputs()[outputs++]).name,
                         part.name + "/" + own.tensor(output).name);
        }
        QCOMPARE(joined.graph.inputs().size(), inputs);
        QCOMPARE(joined.graph.outputs().size(), outputs);
    }
}

void TestGraphUnion::unionOf_oneGraphTwice_keepsItsParameters()
{
    const Graph graph = randomGraph(3, {.operators = 4});
    const GraphUnion joined = unionOf(std::array{NamedGraph{"x", &graph}, NamedGraph{"x#2", &graph}});
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto &own = graph.op(OperatorId::fromIndex(i)).parameters;
        for (const UnionPart &part : joined.parts) {
            const auto &there = joined.graph.op(part.idOf(OperatorId::fromIndex(i))).parameters;
            QCOMPARE(there.size(), own.size());
            for (std::size_t p = 0; p < own.size(); ++p)
                QCOMPARE(there[p].name, own[p].name);
        }
    }
}

void TestGraphUnion::blocksIn_part_areThoseOfItsOperators()
{
    const Graph graph = randomGraph(5, {.operators = 6});
    const Blocks own = consecutiveBlocks(graph, 2);
    const GraphUnion joined = unionOf(std::array{NamedGraph{"x", &graph}, NamedGraph{"y", &graph}});
    Blocks all = blocksIn(joined.parts[0], own);
    for (const Block &block : blocksIn(joined.parts[1], own))
        all.push_back(block);
    QCOMPARE(all.size(), std::size_t{4});
    QVERIFY(verifyBlocks(joined.graph, all).has_value());
}

void TestGraphUnion::partsOfUnion_union_areItsOwn()
{
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const std::array<Graph, 3> graphs{randomGraph(seed, {.operators = 3}), randomGraph(seed + 50, {.operators = 1}),
                                          randomGraph(seed + 90, {.operators = 4})};
        const GraphUnion joined = unionOf(
            std::array{NamedGraph{"a+b", &graphs[0]}, NamedGraph{"a", &graphs[1]}, NamedGraph{"c", &graphs[2]}});
        const auto parts = partsOfUnion(joined.graph);
        QCOMPARE(parts, joined.parts);
        QCOMPARE(partOf(parts, OperatorId::fromIndex(0)), std::optional<std::size_t>(0));
        QCOMPARE(partOf(parts, OperatorId::fromIndex(3)), std::optional<std::size_t>(1));
        QCOMPARE(partOf(parts, OperatorId::fromIndex(7)), std::optional<std::size_t>(2));
        QVERIFY(!partOf(parts, OperatorId::fromIndex(8)));
    }
}

// Names alone do not make a union.
void TestGraphUnion::partsOfUnion_otherGraph_areNone()
{
    const Graph one = randomGraph(3, {.operators = 6});
    QVERIFY(partsOfUnion(one).empty());
    Graph::Parts named = Graph(one).take();
    named.name = "x+y";
    named.byName.reset();
    for (std::size_t i = 0; i < named.operators.size(); ++i)
        named.operators[i].name = (i < 3 ? "x/" : "y/") + named.operators[i].name;
    const Graph renamed = Graph::fromParts(std::move(named));
    bool isApart = true;
    for (std::size_t i = 3; i < renamed.size(); ++i) {
        for (const OperatorId before : renamed.predecessors(OperatorId::fromIndex(i)))
            isApart = isApart && before.index() >= 3;
    }
    QCOMPARE(partsOfUnion(renamed).empty(), !isApart);
    QVERIFY(!isApart);
}

STAGECRAFT_SUITE(TestGraphUnion)

} // namespace tst_graph_union
#include "tst_graph_union.moc"
