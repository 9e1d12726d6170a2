// Operators split into parts: they compute the same, their schedules are searched like any others, and what cannot be
// split is refused by name.

#include "device/cpu/cpu_device.h"
#include "model/rewrite/split_operators.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "search/stages/baselines.h"
#include "search/stages/search.h"
#include "support/brute_force.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/reference_execution.h"
#include "support/sanitized.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_split_operators {
namespace {

constexpr std::uint32_t kGraphs = kSanitized ? 20 : 300;

Graph smallGraph(std::uint32_t seed, int operators)
{
    return randomGraph(seed, {.operators = operators,
                              .density = 0.2 + 0.1 * (seed % 5),
                              .sharedInput = 0.5,
                              .kinds = 1 + static_cast<int>(seed % 3),
                              .products = seed % 2 == 0 ? 0.5 : 0});
}

// At most `most`, of operators that can be split, at random.
OperatorSplits randomSplits(const Graph &graph, std::uint32_t seed, std::size_t most)
{
    std::mt19937 random(seed);
    OperatorSplits splits;
    for (std::size_t i = 0; i < graph.size() && splits.size() < most; ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const std::int64_t parts = 2 + static_cast<std::int64_t>(random() % 3);
        if (random() % 2 == 0 && checkSplit(graph, id, parts))
            splits.emplace(graph.op(id).name, parts);
    }
    return splits;
}

// Half of them, where they have enough rows.
std::set<std::string> randomRows(const Graph &graph, const OperatorSplits &splits, std::uint32_t seed)
{
    std::mt19937 random(seed + 1);
    std::set<std::string> byRows;
    for (const auto &[op, parts] : splits) {
        if (random() % 2 == 0 && checkSplit(graph, *graph.find(op), parts, true))
            byRows.insert(op);
    }
    return byRows;
}

// Convolutions of random graphs have none.
Graph withWeights(Graph graph)
{
    std::vector<std::int64_t> channels;
    for (std::size_t i = 0; i < graph.size(); ++i)
        channels.push_back(graph.inputShape(OperatorId::fromIndex(i)).channels());
    Graph::Parts parts = std::move(graph).take();
    for (std::size_t i = 0; i < parts.operators.size(); ++i) {
        Operator &op = parts.operators[i];
        if (const ConvAttributes *conv = op.conv()) {
            const auto &kernel = conv->window.kernel;
            op.parameters = {
                seededParameter(role::kWeight, op.name, {conv->outChannels, channels[i], kernel[0], kernel[1]}),
                seededParameter(role::kBias, op.name, {conv->outChannels})};
        }
    }
    return Graph::fromParts(std::move(parts));
}

std::vector<HostTensor> outputsOf(std::shared_ptr<const Graph> graph)
{
    const auto session = take(makeCpuDevice()->open(graph));
    return take(session->executor()->run(sequentialSchedule(*graph, oneBlock(*graph)), randomInputs(*graph, 7), {}));
}

} // namespace

class TestSplitOperators : public QObject {
    Q_OBJECT

private slots:
    void splitOperators_randomGraphs_computeTheSame();
    void splitOperators_schedulesOfParts_equalBruteForce();
    void splitOperators_weights_areThoseOfTheWhole_data();
    void splitOperators_weights_areThoseOfTheWhole();
    void splitOperators_result_keepsNamesBlocksAndOutputs();
    void splitOperators_byRows_readsWhatEachPartNeeds();
    void checkSplit_whatCannotBeSplit_isRefused_data();
    void checkSplit_whatCannotBeSplit_isRefused();
};

void TestSplitOperators::splitOperators_randomGraphs_computeTheSame()
{
    std::size_t rows = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const auto whole = std::make_shared<const Graph>(withWeights(smallGraph(seed, 3 + static_cast<int>(seed % 4))));
        const OperatorSplits splits = randomSplits(*whole, seed, 6);
        const std::set<std::string> byRows = randomRows(*whole, splits, seed);
        rows += byRows.size();
        const auto split = std::make_shared<const Graph>(take(splitOperators(*whole, splits, byRows)).graph);
        const auto expected = outputsOf(whole);
        const auto outputs = outputsOf(split);
        QCOMPARE(outputs.size(), expected.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            QCOMPARE(outputs[i].name, expected[i].name);
            const double difference = relativeDifference(outputs[i].values, expected[i].values);
            QVERIFY2(difference <= 1e-6, qPrintable(QString("seed %1: %2").arg(seed).arg(difference)));
        }
    }
    QVERIFY(rows > kGraphs / 4);
}

// Up to six operators, parts and joins counted.
void TestSplitOperators::splitOperators_schedulesOfParts_equalBruteForce()
{
    int tried = 0;
    for (std::uint32_t seed = 0; tried < static_cast<int>(kGraphs); ++seed) {
        const Graph whole = smallGraph(seed, 2 + static_cast<int>(seed % 3));
        const Graph graph = take(splitOperators(whole, randomSplits(whole, seed, 1))).graph;
        if (graph.size() == whole.size() || graph.size() > 6)
            continue;
        ++tried;
        SharedDevice source(graph);
        source.sharing = 0.1 * (seed % 9);
        source.mergeGain = 0.5 + 0.1 * (seed % 5);
        const auto expected = BruteForce(graph, oneBlock(graph), {}).run(source);
        const auto found = searchSchedule(graph, oneBlock(graph), source, {});
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        QCOMPARE(*found->schedule.latencyUs(), expected.bestUs);
    }
}

void TestSplitOperators::splitOperators_weights_areThoseOfTheWhole_data()
{
    QTest::addColumn<bool>("isTransposed");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("parts");
    QTest::newRow("even") << false << 32 << 2;
    QTest::newRow("whole blocks of eight") << false << 24 << 2;
    QTest::newRow("uneven") << false << 7 << 3;
    QTest::newRow("a part a column") << false << 5 << 5;
    QTest::newRow("stored transposed") << true << 10 << 4;
}

void TestSplitOperators::splitOperators_weights_areThoseOfTheWhole()
{
    QFETCH(const bool, isTransposed);
    QFETCH(const int, columns);
    QFETCH(const int, parts);
    constexpr int kRows = 3;
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("x", Shape{{2, kRows}}));
    Operator op = product("p", input, kRows);
    op.attributes = GemmAttributes{columns, kRows, isTransposed, {}};
    std::vector<float> weights;
    for (int i = 0; i < kRows * columns; ++i)
        weights.push_back(static_cast<float>(i));
    op.parameters.front().shape = isTransposed ? Shape{{columns, kRows}} : Shape{{kRows, columns}};
    op.parameters.front().values = shared(weights);
    static_cast<void>(take(builder.add(op)));
    const Graph graph = take(builder.build());

    const SplitGraph split = take(splitOperators(graph, {{"p", parts}}));
    QCOMPARE(split.graph.size(), static_cast<std::size_t>(parts) + 1);
    std::vector<float> joined(weights.size());
    std::int64_t begin = 0;
    for (int part = 1; part <= parts; ++part) {
        const Operator &each = split.graph.op(*split.graph.find(nameOfPart("p", part)));
        const std::int64_t width = each.gemm()->outFeatures;
        QVERIFY(width > 0);
        const Parameter &weight = *each.parameter(role::kWeight);
        QCOMPARE(weight.shape.elements(), kRows * width);
        const auto values = parameterValues(weight);
        QCOMPARE(std::ssize(*values), kRows * width);
        for (std::int64_t row = 0; row < kRows; ++row) {
            for (std::int64_t column = 0; column < width; ++column) {
                const std::int64_t to = isTransposed ? (begin + column) * kRows + row : row * columns + begin + column;
                const std::int64_t from = isTransposed ? column * kRows + row : row * width + column;
                joined[static_cast<std::size_t>(to)] = (*values)[static_cast<std::size_t>(from)];
            }
        }
        begin += width;
    }
    QCOMPARE(joined, weights);
}

void TestSplitOperators::splitOperators_result_keepsNamesBlocksAndOutputs()
{
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("x", Shape{{1, 8, 4, 4}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 16)));
    static_cast<void>(take(builder.add(conv("b", {{a}}, 8))));
    const Graph graph = take(builder.build());
    const SplitGraph split = take(splitOperators(graph, {{"b", 2}}));
    std::vector<std::string> names;
    for (const Operator &op : split.graph.operators())
        names.push_back(op.name);
    QCOMPARE(names, (std::vector<std::string>{"a", "b.part1", "b.part2", "b.join"}));
    QCOMPARE(split.graph.tensor(split.graph.outputs().front()).name, std::string("b"));
    QCOMPARE(split.graph.op(*split.graph.find("b.part1")).conv()->outChannels, std::int64_t{4});
    QCOMPARE(displayType(split.graph.op(*split.graph.find("b.join"))), std::string("Concat"));
    const Blocks blocks = split.blocksOf({{{OperatorId::fromIndex(0)}}, {{OperatorId::fromIndex(1)}}});
    QVERIFY(verifyBlocks(split.graph, blocks));
    QCOMPARE(blocks[1].operators.size(), std::size_t{3});
}

void TestSplitOperators::splitOperators_byRows_readsWhatEachPartNeeds()
{
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("x", Shape{{1, 8, 9, 9}}));
    Operator strided = conv("a", {{input}}, 8, 3);
    strided.conv()->window.stride = {2, 2};
    strided.conv()->window.padding = {1, 1, 1, 1};
    static_cast<void>(take(builder.add(strided)));
    const Graph graph = take(builder.build()); // 5 rows
    const SplitGraph split = take(splitOperators(graph, {{"a", 2}}, {"a"}));
    std::vector<std::string> names;
    for (const Operator &op : split.graph.operators())
        names.push_back(op.name);
    QCOMPARE(names, (std::vector<std::string>{"a.part1.rows", "a.part1", "a.part2.rows", "a.part2", "a.join"}));
    const auto rows = [&](const char *op) { return split.graph.outputShape(*split.graph.find(op)).dims[2]; };
    QCOMPARE(rows("a.part1.rows"), std::int64_t{4}); // rows 0 and 1 of 5 read -1 to 3
    QCOMPARE(rows("a.part1"), std::int64_t{2});
    QCOMPARE(rows("a.part2.rows"), std::int64_t{6}); // the others read 3 to 9
    QCOMPARE(rows("a.part2"), std::int64_t{3});
    const Window &first = split.graph.op(*split.graph.find("a.part1")).conv()->window;
    QCOMPARE(first.padding, (std::array<std::int64_t, 4>{1, 1, 0, 1}));
    QCOMPARE(split.became.front().size(), std::size_t{3});
    QCOMPARE(split.became.front().front().size(), std::size_t{2});
}

void TestSplitOperators::checkSplit_whatCannotBeSplit_isRefused_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("parts");
    QTest::addColumn<QString>("says");
    QTest::newRow("one part") << "conv" << 1 << "it has 8 channels, and cannot be split into 1 parts";
    QTest::newRow("more than channels") << "conv" << 9 << "it has 8 channels, and cannot be split into 9 parts";
    QTest::newRow("groups") << "grouped" << 2 << "a convolution of groups is split already";
    QTest::newRow("slopes") << "sloped" << 2 << "an activation with slopes of its own is not split";
    QTest::newRow("bias of one value") << "biased" << 2 << "its bias does not have one value a channel or column";
    QTest::newRow("one row each") << "conv:rows" << 9 << "it has 8 rows, and cannot be split into 9 parts";
    QTest::newRow("only padding") << "padded:rows" << 10 << "one of its parts would read nothing but padding";
    QTest::newRow("a sum") << "sum" << 2 << "only convolutions and matrix products with weights are split, not Add";
    QTest::newRow("two tensors") << "product" << 2 << "a product of two tensors is not split: it has no weight";
}

void TestSplitOperators::checkSplit_whatCannotBeSplit_isRefused()
{
    QFETCH(const QString, op);
    QFETCH(const int, parts);
    QFETCH(const QString, says);
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    static_cast<void>(take(builder.add(conv("conv", {{input}}, 8))));
    Operator grouped = conv("grouped", {{input}}, 8);
    grouped.conv()->groups = 2;
    static_cast<void>(take(builder.add(grouped)));
    Operator sloped = conv("sloped", {{input}}, 8);
    sloped.parameters = {seededParameter(role::kSlope, "sloped", {8})};
    static_cast<void>(take(builder.add(sloped)));
    Operator biased = product("biased", input, 8);
    biased.parameters.push_back(seededParameter(role::kBias, "biased", {1}));
    static_cast<void>(take(builder.add(biased)));
    static_cast<void>(take(builder.add(join("sum", {{input, input}}))));
    Operator both = product("product", input, 8);
    both.inputs = {{input}, {input}};
    both.parameters.clear();
    static_cast<void>(take(builder.add(both)));
    Operator padded = conv("padded", {{input}}, 8, 1);
    padded.conv()->window.padding = {1, 1, 1, 1};
    static_cast<void>(take(builder.add(padded)));
    const Graph graph = take(builder.build());
    const std::string name = op.section(':', 0, 0).toStdString();
    const auto refused = checkSplit(graph, *graph.find(name), parts, op.contains(':'));
    QVERIFY(!refused);
    QCOMPARE(QString::fromStdString(refused.error().message), says);
    QCOMPARE(refused.error().context, (std::vector<std::string>{"operator " + name}));
    for (const char *byRows : {"grouped", "sloped"})
        QVERIFY(checkSplit(graph, *graph.find(byRows), 2, true));
    const auto unknown = splitOperators(graph, {{"nothing", 2}});
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().message, std::string("the model has no operator nothing, which is to be split"));
}

STAGECRAFT_SUITE(TestSplitOperators)

} // namespace tst_split_operators
#include "tst_split_operators.moc"
