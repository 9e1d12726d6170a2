#include "device/cpu/cpu_device.h"
#include "schedule/layouts/laid_out_graph.h"
#include "search/layouts/layout_search.h"
#include "support/graph_making.h"
#include "support/random_layouts.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_laid_out_graph {

namespace {

const std::vector<TensorLayout> kAll(kTensorLayouts.begin(), kTensorLayouts.end());

Operator withWeights(Operator op, std::int64_t inChannels)
{
    const ConvAttributes &attributes = *op.conv();
    std::vector<float> values(static_cast<std::size_t>(attributes.outChannels * inChannels *
                                                       attributes.window.kernel[0] * attributes.window.kernel[1]));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i % 7) / 7 - 0.4F;
    const Shape shape{{attributes.outChannels, inChannels, attributes.window.kernel[0], attributes.window.kernel[1]}};
    op.parameters = {{"weight", op.name + "/weight", shape, DataType::Float32, shared(std::move(values))}};
    return op;
}

// Two convolutions of one input, their sum, a join with it, and a convolution behind: channels that no block divides.
Graph network()
{
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("input", Shape{{2, 12, 9, 9}}));
    const TensorId a = take(builder.add(withWeights(conv("a", {{input}}, 20, 3), 12)));
    const TensorId b = take(builder.add(withWeights(conv("b", {{input}}, 20), 12)));
    const TensorId sum = take(builder.add(join("sum", {{a, b}})));
    const TensorId joined = take(builder.add(join("joined", {{sum}, {a}})));
    (void)take(builder.add(withWeights(conv("last", {{joined}}, 24, 3), 40)));
    return take(builder.build());
}

// Operators that write the layout they read, of channels that no block divides.
Graph withoutConvolutions()
{
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("input", Shape{{2, 18, 9, 9}}));
    Operator relu{"relu", "Relu", OperatorKind::Activation, Activation{ActivationKind::Relu}, {{input}}, {}, {}};
    const TensorId a = take(builder.add(std::move(relu)));
    const PoolAttributes window{.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}};
    const TensorId b = take(builder.add({"pool", "MaxPool", OperatorKind::Pool, window, {{a}}, {}, {}}));
    const TensorId sum = take(builder.add(join("sum", {{a, b}})));
    (void)take(builder.add(join("joined", {{sum}, {b}})));
    return take(builder.build());
}

TimedSchedule oneByOne(const Graph &graph)
{
    TimedSchedule schedule;
    for (std::size_t i = 0; i < graph.size(); ++i)
        schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    return schedule;
}

Result<std::vector<HostTensor>> outputsOf(Graph made)
{
    const auto graph = std::make_shared<const Graph>(std::move(made));
    CpuOptions oneCore;
    oneCore.cores = 1;
    oneCore.poisonsFreed = true;
    const auto device = makeCpuDevice(oneCore);
    TRY_AS(auto session, device->open(graph));
    HostTensor input{"input", graph->tensor(graph->inputs().front()).shape, {}};
    for (std::int64_t i = 0; i < input.shape.elements(); ++i)
        input.values.push_back(std::sin(static_cast<float>(i)));
    return session->executor()->run(oneByOne(*graph), {input}, {});
}

std::vector<std::string> allNames()
{
    std::vector<std::string> names;
    for (const TensorLayout layout : kTensorLayouts)
        names.emplace_back(toString(layout));
    return names;
}

} // namespace

class TestLaidOutGraph : public QObject {
    Q_OBJECT

private slots:
    void laidOut_randomAssignments_computeTheSame();
    void laidOut_everyLayout_computesTheSame_data();
    void laidOut_everyLayout_computesTheSame();
    void laidOut_imageOfOnePixel_runsInEveryLayout();
    void laidOut_conversions_areOperatorsBeforeTheirReaders();
    void laidOut_layoutThatNobodyExecutes_isRefused();
    void pairs_ofEachKind_followItsFreedom();
    void cpu_layoutThatAnOperatorDoesNotWrite_isRefused();
};

void TestLaidOutGraph::laidOut_randomAssignments_computeTheSame()
{
    const Graph graph = network();
    const auto expected = take(outputsOf(network()));
    std::mt19937 random(3);
    int executed = 0;
    for (int round = 0; round < 60; ++round) {
        const LayoutProblem problem = randomLayouts(graph, kAll, random);
        const LayoutResult found = take(searchLayouts(problem, {}));
        const auto outputs = outputsOf(take(laidOut(graph, problem, found.best)));
        if (!outputs) { // oneDNN has no kernel for some pairs of layouts
            QVERIFY2(outputs.error().message.find("no kernel for a convolution of these layouts") !=
                             std::string::npos ||
                         outputs.error().message.find("could not create a primitive") != std::string::npos,
                     outputs.error().message.c_str());
            continue;
        }
        ++executed;
        QCOMPARE(outputs->front().values.size(), expected.front().values.size());
        for (std::size_t i = 0; i < expected.front().values.size(); ++i)
            QVERIFY(std::abs(outputs->front().values[i] - expected.front().values[i]) < 1e-3F);
    }
    QVERIFY(executed > 0);
}

void TestLaidOutGraph::laidOut_everyLayout_computesTheSame_data()
{
    QTest::addColumn<int>("layout");
    for (std::size_t i = 0; i < kAll.size(); ++i)
        QTest::newRow(toString(kAll[i]).data()) << static_cast<int>(i);
}

void TestLaidOutGraph::laidOut_everyLayout_computesTheSame()
{
    QFETCH(const int, layout);
    const auto index = static_cast<LayoutIndex>(layout);
    const Graph graph = withoutConvolutions();
    const auto expected = take(outputsOf(withoutConvolutions()));
    LayoutProblem problem = layoutProblemOf(graph, allNames(), 0);
    for (LayoutProblem::Operator &op : problem.operators)
        op.choices = {{{index, index}, 1}};
    std::ranges::fill(problem.conversionTables.front(), 1);
    const LayoutResult found = take(searchLayouts(problem, {}));
    const auto outputs = take(outputsOf(take(laidOut(graph, problem, found.best))));
    QCOMPARE(outputs.front().values, expected.front().values);
}

// oneDNN 2.6 has no kernel for some ways to describe the same bytes.
void TestLaidOutGraph::laidOut_imageOfOnePixel_runsInEveryLayout()
{
    const auto pixel = [] {
        GraphBuilder builder("pixel");
        const TensorId input = take(builder.addInput("input", Shape{{1, 1280, 1, 1}}));
        (void)take(builder.add(withWeights(conv("fc", {{input}}, 100), 1280)));
        return take(builder.build());
    };
    const Graph graph = pixel();
    const auto expected = take(outputsOf(pixel()));
    for (LayoutIndex in = 0; in < 2; ++in) {
        for (LayoutIndex out = 0; out < 2; ++out) {
            LayoutProblem problem = layoutProblemOf(graph, {"NCHW", "NHWC"}, 0);
            problem.operators.front().choices = {{{in, out}, 1}};
            problem.conversionTables.front() = {kImpossible, 1, 1, kImpossible};
            const LayoutResult found = take(searchLayouts(problem, {}));
            const auto outputs = take(outputsOf(take(laidOut(graph, problem, found.best))));
            for (std::size_t i = 0; i < expected.front().values.size(); ++i)
                QVERIFY(std::abs(outputs.front().values[i] - expected.front().values[i]) < 1e-3F);
        }
    }
}

void TestLaidOutGraph::laidOut_conversions_areOperatorsBeforeTheirReaders()
{
    const Graph graph = network();
    LayoutProblem problem = layoutProblemOf(graph, {"NCHW", "NHWC"}, 0);
    for (LayoutProblem::Operator &op : problem.operators)
        op.choices = {{{1, 1}, 1}};
    problem.conversionTables.front() = {kImpossible, 1, 1, kImpossible};
    const LayoutResult found = take(searchLayouts(problem, {}));
    const Graph made = take(laidOut(graph, problem, found.best));
    QCOMPARE(made.size(), graph.size() + 2);
    QCOMPARE(made.operators().front().name, std::string("input as NHWC"));
    QCOMPARE(made.operators().back().name, std::string("last as NCHW"));
    QCOMPARE(made.tensor(made.outputs().front()).layout, std::optional(TensorLayout::RowMajor));
    const Operator &a = made.op(*made.find("a"));
    QCOMPARE(made.tensor(a.inputs.front().front()).name, std::string("input as NHWC"));
    QCOMPARE(made.tensor(a.outputs.front()).layout, std::optional(TensorLayout::ChannelsLast));
}

void TestLaidOutGraph::laidOut_layoutThatNobodyExecutes_isRefused()
{
    const Graph graph = network();
    const LayoutProblem problem = layoutProblemOf(graph, {"NCHW", "CHWN"}, 0);
    const auto made = laidOut(graph, problem, {});
    QVERIFY(!made);
    QCOMPARE(made.error().message, std::string("no device executes the layout CHWN"));
}

void TestLaidOutGraph::pairs_ofEachKind_followItsFreedom()
{
    const Graph graph = network();
    QCOMPARE(layoutPairsOf(graph, *graph.find("a"), kAll).size(), kAll.size() * kAll.size());
    std::vector<LayoutPair> kept;
    for (LayoutIndex i = 0; i < kAll.size(); ++i)
        kept.push_back({i, i});
    QCOMPARE(layoutPairsOf(graph, *graph.find("sum"), kAll), kept);
}

void TestLaidOutGraph::cpu_layoutThatAnOperatorDoesNotWrite_isRefused()
{
    Graph made = network();
    Graph::Parts parts = std::move(made).take();
    parts.tensors[3].layout = TensorLayout::ChannelsLast; // of the sum, whose summands have the library's layouts
    parts.tensors[1].layout = parts.tensors[2].layout = TensorLayout::RowMajor;
    const auto outputs = outputsOf(Graph::fromParts(std::move(parts)));
    QVERIFY(!outputs);
    QCOMPARE(outputs.error().message, std::string("cpu writes this operator's tensor in nchw, not in nhwc"));
    QCOMPARE(outputs.error().context, std::vector<std::string>{"operator sum"});
}

STAGECRAFT_SUITE(TestLaidOutGraph)

} // namespace tst_laid_out_graph
#include "tst_laid_out_graph.moc"
