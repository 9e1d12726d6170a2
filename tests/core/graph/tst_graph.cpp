#include "graph/graph.h"
#include "graph/operator_cost.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph {

namespace {

// input -> a, b; c = concat(a + b, b)
Graph diamond(std::int64_t batch = 1)
{
    GraphBuilder builder("diamond");
    const TensorId input = take(builder.addInput("input", {{batch, 8, 10, 10}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 16, 3)));
    const TensorId b = take(builder.add(conv("b", {{input}}, 16, 1)));
    take(builder.add(join("c", {{a, b}, {b}})));
    return take(builder.build());
}

} // namespace

class TestGraph : public QObject {
    Q_OBJECT

private slots:
    void build_diamond_hasNeighboursOnce();
    void build_withoutOperators_refuses();
    void find_manyNames_findsEach();
    void add_duplicateName_refuses();
    void add_wrongSummands_refusesNamingTheOperator();
    void flops_expression_countsAdditions();
    void parameterValues_sameName_areEqualAndBounded();
};

void TestGraph::build_diamond_hasNeighboursOnce()
{
    const Graph graph = diamond();
    const OperatorId c = graph.find("c").value();
    QCOMPARE(graph.predecessors(c).size(), std::size_t{2});
    QCOMPARE(graph.successors(graph.find("b").value()).size(), std::size_t{1});
    QCOMPARE(toString(graph.outputShape(c)), std::string("1x32x10x10"));
    QCOMPARE(displayType(graph.op(c)), std::string("Add-Concat"));
    QCOMPARE(graph.outputs().size(), std::size_t{1});
    QVERIFY(!graph.find("d"));
}

void TestGraph::find_manyNames_findsEach()
{
    GraphBuilder builder("many");
    TensorId last = take(builder.addInput("input", {{1, 8, 10, 10}}));
    constexpr std::size_t kCount = 5000;
    for (std::size_t i = 0; i < kCount; ++i) {
        QVERIFY(!builder.findTensor("op" + std::to_string(i)));
        last = take(builder.add(join("op" + std::to_string(i), {{last}})));
    }
    QCOMPARE(builder.findTensor("op17"), std::optional(TensorId::fromIndex(18)));
    const Graph graph = take(builder.build());
    for (std::size_t i = 0; i < kCount; ++i)
        QCOMPARE(graph.find("op" + std::to_string(i)), std::optional(OperatorId::fromIndex(i)));
    QVERIFY(!graph.find("op5000") && !graph.find(""));
}

void TestGraph::build_withoutOperators_refuses()
{
    GraphBuilder builder("empty");
    const auto graph = builder.build();
    QVERIFY(!graph);
    QVERIFY(graph.error().message.find("no operators") != std::string::npos);
}

void TestGraph::add_duplicateName_refuses()
{
    GraphBuilder builder("twice");
    const TensorId input = take(builder.addInput("input", {{1, 8, 10, 10}}));
    take(builder.add(conv("a", {{input}}, 16)));
    const auto second = builder.add(conv("a", {{input}}, 16));
    QVERIFY(!second);
    QCOMPARE(second.error().message, std::string("two operators are named a"));
}

void TestGraph::add_wrongSummands_refusesNamingTheOperator()
{
    GraphBuilder builder("sum");
    const TensorId input = take(builder.addInput("input", {{1, 8, 10, 10}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 16)));
    const auto sum = builder.add(join("sum", {{input, a}}));
    QVERIFY(!sum);
    QCOMPARE(sum.error().context, std::vector<std::string>{"operator sum"});
    QVERIFY(sum.error().message.find("different shapes") != std::string::npos);
}

void TestGraph::flops_expression_countsAdditions()
{
    const Graph graph = diamond();
    QCOMPARE(flops(graph, graph.find("c").value()), 16.0 * 10 * 10);
    // 2 * outputs * inputs * kernel, plus one per ReLU.
    QCOMPARE(flops(graph, graph.find("a").value()), 2.0 * 1600 * 8 * 9 + 1600);
}

void TestGraph::parameterValues_sameName_areEqualAndBounded()
{
    const Parameter weight{"weight", "conv1.weight", {{16, 3, 3, 3}}, DataType::Float32, nullptr};
    const auto first = parameterValues(weight);
    QCOMPARE(first->size(), std::size_t{16 * 27});
    QVERIFY(*first == *parameterValues(weight));
    Parameter other = weight;
    other.name = "conv2.weight";
    QVERIFY(*first != *parameterValues(other));
    QVERIFY(std::ranges::all_of(*first, [](float value) { return std::abs(value) <= 1.0F / 3.0F; }));
    QVERIFY(std::ranges::any_of(*first, [](float value) { return std::abs(value) > 0.2F; }));
}

STAGECRAFT_SUITE(TestGraph)

} // namespace tst_graph
#include "tst_graph.moc"
