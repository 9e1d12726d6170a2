#include "plan/memory_use.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::plan;
using namespace stagecraft::test;

namespace tst_memory_use {

namespace {

constexpr std::size_t kImage = 8 * 8 * 8 * sizeof(float); // a tensor of a random graph; a multiple of the alignment

// One operator per stage, or pairs of operators of which neither reads the other.
std::vector<Stage> stagesOf(const Graph &graph, bool inPairs)
{
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const bool joins = inPairs && !stages.empty() && stages.back().groups.size() == 1 &&
                           std::ranges::count(graph.predecessors(id), stages.back().groups.front().front()) == 0;
        if (joins)
            stages.back().groups.push_back({id});
        else
            stages.push_back({0, Strategy::Concurrent, {{id}}});
    }
    return stages;
}

std::size_t stageOf(std::span<const Stage> stages, OperatorId id)
{
    return static_cast<std::size_t>(std::ranges::find_if(stages,
                                                         [&](const Stage &stage) {
                                                             return std::ranges::count(stage.groups,
                                                                                       std::vector<OperatorId>{id}) > 0;
                                                         }) -
                                    stages.begin());
}

// By the definition: tensors that were written, or are, and that this stage or a later one reads.
std::vector<std::size_t> tensorBytesByDefinition(const Graph &graph, std::span<const Stage> stages)
{
    std::vector<std::size_t> live(stages.size());
    for (std::size_t t = 0; t < graph.tensors().size(); ++t) {
        const TensorId tensor = TensorId::fromIndex(t);
        const OperatorId producer = graph.tensor(tensor).producer;
        const std::size_t first = producer.isValid() ? stageOf(stages, producer) : 0;
        std::size_t last = std::ranges::count(graph.outputs(), tensor) > 0 ? stages.size() - 1 : first;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            for (const auto &part : graph.operators()[i].inputs) {
                if (std::ranges::count(part, tensor) > 0)
                    last = std::max(last, stageOf(stages, OperatorId::fromIndex(i)));
            }
        }
        for (std::size_t stage = first; stage <= last; ++stage)
            live[stage] += kImage;
    }
    return live;
}

Graph chain(int length)
{
    GraphBuilder builder("chain");
    TensorId tensor = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    for (int i = 0; i < length; ++i)
        tensor = take(builder.add(conv("op" + std::to_string(i), {{tensor}}, 8)));
    return take(builder.build());
}

} // namespace

class TestMemoryUse : public QObject {
    Q_OBJECT

private slots:
    void planned_randomGraphs_followTheDefinition_data();
    void planned_randomGraphs_followTheDefinition();
    void planned_chain_needsTwoTensors();
    void planned_halfPrecision_needsHalf();
    void planned_joinedTensors_lieInTheirJoin();
    void planned_unknownShape_isRefused();
    void referenceCounted_chain_reusesTwoBuffers();
    void referenceCounted_muchSmallerTensor_takesABufferOfItsOwn();
    void referenceCounted_stage_sharesNothing();
};

void TestMemoryUse::planned_randomGraphs_followTheDefinition_data()
{
    QTest::addColumn<bool>("inPairs");
    QTest::newRow("sequential") << false;
    QTest::newRow("pairs") << true;
}

void TestMemoryUse::planned_randomGraphs_followTheDefinition()
{
    QFETCH(bool, inPairs);
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Graph graph =
            randomGraph(seed, {.operators = 1 + static_cast<int>(seed % 12), .products = seed % 2 * 0.5});
        const std::vector<Stage> stages = stagesOf(graph, inPairs);
        const auto use = plannedMemory(graph, stages, sizeof(float));
        QVERIFY(use);
        const auto workspace = use->workspaceBytes();
        std::vector<std::size_t> tensors = use->liveBytes();
        for (std::size_t i = 0; i < tensors.size(); ++i)
            tensors[i] -= workspace[i];
        QCOMPARE(tensors, tensorBytesByDefinition(graph, stages));
        QVERIFY(use->livePeakBytes() <= use->arenaBytes && use->arenaBytes <= use->noReuseBytes());
    }
}

void TestMemoryUse::planned_chain_needsTwoTensors()
{
    const Graph graph = chain(4);
    const auto use = plannedMemory(graph, stagesOf(graph, false), sizeof(float));
    QVERIFY(use);
    QCOMPARE(use->livePeakBytes(), 2 * kImage);
    QCOMPARE(use->arenaBytes, 2 * kImage);
    QCOMPARE(use->noReuseBytes(), 5 * kImage);
    QCOMPARE(use->workspaceBytes(), std::vector<std::size_t>(4));
}

void TestMemoryUse::planned_halfPrecision_needsHalf()
{
    const Graph graph = chain(4);
    QCOMPARE(plannedMemory(graph, stagesOf(graph, false), 2)->arenaBytes, kImage);
}

void TestMemoryUse::planned_joinedTensors_lieInTheirJoin()
{
    GraphBuilder builder("joined");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{input}}, 8)));
    (void)take(builder.add(join("joined", {{a}, {b}})));
    const Graph graph = take(builder.build());
    const auto use = plannedMemory(graph, stagesOf(graph, false), sizeof(float));
    QVERIFY(use);
    QCOMPARE(use->liveBytes(), (std::vector<std::size_t>{3 * kImage, 3 * kImage, 2 * kImage}));
    QCOMPARE(use->buffers.size(), std::size_t{2});
    QCOMPARE(use->buffers.back().tensors.size(), std::size_t{3});
}

void TestMemoryUse::planned_unknownShape_isRefused()
{
    GraphBuilder builder("unknown");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    Operator op;
    op.name = "odd";
    op.type = "Odd";
    op.inputs = {{input}};
    (void)take(builder.add(op, {Tensor{"odd", Shape{{}, false}, DataType::Float32, {}}}));
    const Graph graph = take(builder.build());
    const auto use = plannedMemory(graph, stagesOf(graph, false), sizeof(float));
    QVERIFY(!use);
    QCOMPARE(use.error().message, std::string("the shape of tensor odd is not known, and so are its bytes"));
}

// input, op0 and op1 have their own; op2 takes that of the input, op3 that of op1's input.
void TestMemoryUse::referenceCounted_chain_reusesTwoBuffers()
{
    const Graph graph = chain(4);
    QCOMPARE(referenceCountedBytes(graph, stagesOf(graph, false), sizeof(float)), 2 * kImage);
}

void TestMemoryUse::referenceCounted_muchSmallerTensor_takesABufferOfItsOwn()
{
    GraphBuilder builder("small");
    TensorId tensor = take(builder.addInput("input", Shape{{1, 64, 8, 8}}));
    tensor = take(builder.add(conv("large", {{tensor}}, 64)));
    tensor = take(builder.add(conv("small", {{tensor}}, 1)));
    const Graph graph = take(builder.build());
    const std::size_t large = 8 * kImage;
    QCOMPARE(referenceCountedBytes(graph, stagesOf(graph, false), sizeof(float)), 2 * large + kImage / 8);
}

void TestMemoryUse::referenceCounted_stage_sharesNothing()
{
    GraphBuilder builder("side by side");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{input}}, 8)));
    (void)take(builder.add(conv("c", {{a}}, 8)));
    (void)take(builder.add(conv("d", {{b}}, 8)));
    const Graph graph = take(builder.build());
    const std::vector<Stage> stages = stagesOf(graph, true);
    QCOMPARE(stages.size(), std::size_t{2});
    // c takes what the input leaves, d a buffer of its own: a and b are freed only behind the stage.
    QCOMPARE(referenceCountedBytes(graph, stages, sizeof(float)), 4 * kImage);
}

STAGECRAFT_SUITE(TestMemoryUse)

} // namespace tst_memory_use
#include "tst_memory_use.moc"
