#include "graph/graph_part.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_part {

namespace {

// x -> a -> b -> c -> d, and the sum of a and c beside d.
Graph line()
{
    GraphBuilder builder("line");
    const TensorId x = take(builder.addInput("x", {{1, 3, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 4)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 4)));
    const TensorId c = take(builder.add(conv("c", {{b}}, 4)));
    take(builder.add(conv("d", {{c}}, 4)));
    take(builder.add(join("sum", {{a, c}})));
    return take(builder.build());
}

QString namesOf(const Graph &graph, const std::vector<OperatorId> &operators)
{
    QStringList names;
    for (const OperatorId id : operators)
        names << QString::fromStdString(graph.op(id).name);
    return names.join(' ');
}

QString tensorsOf(const Graph &graph, std::span<const TensorId> tensors)
{
    QStringList names;
    for (const TensorId id : tensors)
        names << QString::fromStdString(graph.tensor(id).name);
    return names.join(' ');
}

} // namespace

class TestGraphPart : public QObject {
    Q_OBJECT

private slots:
    void neighbourhood_steps_goBothWays_data();
    void neighbourhood_steps_goBothWays();
    void partOf_middle_readsAndWritesWhatOthersDo();
    void partOf_all_isTheGraph();
};

void TestGraphPart::neighbourhood_steps_goBothWays_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("most");
    QTest::addColumn<QString>("names");
    QTest::addRow("itself") << "c" << 0 << 9 << "c";
    QTest::addRow("one step") << "c" << 1 << 9 << "b c d sum";
    QTest::addRow("two steps") << "d" << 2 << 9 << "b c d sum";
    QTest::addRow("the nearest") << "d" << 3 << 2 << "c d";
}

void TestGraphPart::neighbourhood_steps_goBothWays()
{
    QFETCH(const QString, from);
    QFETCH(const int, steps);
    QFETCH(const int, most);
    const Graph graph = line();
    const OperatorId id = graph.find(from.toStdString()).value();
    QTEST(
        namesOf(graph, neighbourhood(graph, {&id, 1}, static_cast<std::size_t>(steps), static_cast<std::size_t>(most))),
        "names");
}

void TestGraphPart::partOf_middle_readsAndWritesWhatOthersDo()
{
    const Graph graph = line();
    const std::vector<OperatorId> middle{*graph.find("b"), *graph.find("c"), *graph.find("sum")};
    const Graph part = partOf(graph, middle);
    QCOMPARE(part.size(), std::size_t(3));
    QCOMPARE(tensorsOf(part, part.inputs()), QString("a"));      // its producer is outside
    QCOMPARE(tensorsOf(part, part.outputs()), QString("c sum")); // d reads c; the sum is an output of the graph
    const OperatorId sum = part.find("sum").value();
    QCOMPARE(namesOf(part, {part.predecessors(sum).begin(), part.predecessors(sum).end()}), QString("c"));
    QVERIFY(part.outputShape(sum) == graph.outputShape(*graph.find("sum")));
    QVERIFY(part.op(sum).attributes == graph.op(*graph.find("sum")).attributes);
}

void TestGraphPart::partOf_all_isTheGraph()
{
    const Graph graph = line();
    std::vector<OperatorId> all;
    for (std::size_t i = 0; i < graph.size(); ++i)
        all.push_back(OperatorId::fromIndex(i));
    const Graph part = partOf(graph, all);
    QCOMPARE(tensorsOf(part, part.inputs()), tensorsOf(graph, graph.inputs()));
    QCOMPARE(tensorsOf(part, part.outputs()), tensorsOf(graph, graph.outputs()));
    for (const OperatorId id : all) {
        QCOMPARE(part.op(id).name, graph.op(id).name);
        QVERIFY(std::ranges::equal(part.predecessors(id), graph.predecessors(id)));
    }
}

STAGECRAFT_SUITE(TestGraphPart)

} // namespace tst_graph_part
#include "tst_graph_part.moc"
