// What runtimes take of memory, against what was worked out by hand and what ONNX Runtime said itself.

#include "plan/memory_pattern.h"
#include "plan/node_allocations.h"
#include "plan/onnxruntime_memory.h"
#include "plan/runtime_allocators.h"
#include "plan/target_memory.h"
#include "schedule/stage_groups.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::plan;
using namespace stagecraft::test;

namespace tst_target_memory {

namespace {

constexpr std::size_t kMiB = std::size_t{1024} * 1024;

// Values of these bytes, each read by the nodes that say so.
NodeAllocations allocations(const std::vector<std::size_t> &bytes, std::vector<AllocatingNode> nodes)
{
    NodeAllocations made;
    for (const std::size_t size : bytes)
        made.values.push_back({size, Shape{{static_cast<std::int64_t>(size)}}});
    made.nodes = std::move(nodes);
    return made;
}

Schedule sequential(const Graph &graph)
{
    Schedule schedule;
    for (std::size_t i = 0; i < graph.size(); ++i)
        schedule.stages.push_back(stageAlone(OperatorId::fromIndex(i)));
    return schedule;
}

} // namespace

class TestTargetMemory : public QObject {
    Q_OBJECT

private slots:
    void arena_ofOnnxRuntime_growsAndCuts();
    void arena_beyondAGibibyte_growsByThat();
    void arena_perStream_sharesNothing();
    void cachingAllocator_regionsAndStreams();
    void pattern_fillsTheBestGap();
    void oneStream_sameShape_isReused();
    void streams_sideBySide_holdBoth();
    void streams_onAGpu_shareNothing();
    void order_fusedNodes_lastFirst();
    void nodes_merged_splitIsCopiedOrViewed();
    void pyTorch_readAcrossStreams_isKept();
    void pyTorch_kept_isNeverReused();
    void onnxRuntime_networks_asRecorded_data();
    void onnxRuntime_networks_asRecorded();
    void unknownShape_refusedByName();
};

// As ONNX Runtime 1.32 says in its profile of SqueezeNet's first convolution: 8 MiB in use for 4,816,896 bytes, 16 MiB
// held once it has unfolded its input, and a chunk of half the size is cut.
void TestTargetMemory::arena_ofOnnxRuntime_growsAndCuts()
{
    BfcArena arena(false);
    const auto output = arena.take(4'816'896, 0);
    QCOMPARE(arena.usedBytes(), 8 * kMiB);
    QCOMPARE(arena.heldBytes(), 8 * kMiB);
    const auto scratch = arena.take(65'536, 0);
    QCOMPARE(arena.usedBytes(), 8 * kMiB + 65'536);
    QCOMPARE(arena.heldBytes(), 16 * kMiB);
    arena.giveBack(scratch);
    const auto pooled = arena.take(1'161'600, 1); // streams share it
    QCOMPARE(arena.usedBytes(), 8 * kMiB + 1'161'728);
    QCOMPARE(arena.heldBytes(), 16 * kMiB);
    arena.giveBack(output);
    arena.giveBack(pooled);
    QCOMPARE(arena.usedBytes(), std::size_t{0});
    (void)arena.take(8 * kMiB, 0); // what was cut is whole again
    (void)arena.take(8 * kMiB, 0);
    QCOMPARE(arena.heldBytes(), 16 * kMiB);
    (void)arena.take(1, 0);
    QCOMPARE(arena.heldBytes(), 32 * kMiB);
}

void TestTargetMemory::arena_beyondAGibibyte_growsByThat()
{
    constexpr std::size_t kGiB = 1024 * kMiB;
    BfcArena arena(false);
    (void)arena.take(2 * kGiB, 0);
    QCOMPARE(arena.heldBytes(), 2 * kGiB);
    (void)arena.take(kMiB, 0); // the next regions are no larger than 1 GiB
    QCOMPARE(arena.heldBytes(), 3 * kGiB);
    (void)arena.take(kGiB, 0);
    QCOMPARE(arena.heldBytes(), 4 * kGiB);
}

void TestTargetMemory::arena_perStream_sharesNothing()
{
    BfcArena arena(true);
    arena.giveBack(arena.take(kMiB, 0));
    (void)arena.take(kMiB, 1);
    QCOMPARE(arena.heldBytes(), 3 * kMiB); // the second region is twice the first
    (void)arena.take(kMiB, 0);
    QCOMPARE(arena.heldBytes(), 3 * kMiB);
}

void TestTargetMemory::cachingAllocator_regionsAndStreams()
{
    CachingAllocator allocator;
    const auto small = allocator.take(100, 0);
    QCOMPARE(allocator.usedBytes(), std::size_t{512});
    QCOMPARE(allocator.heldBytes(), 2 * kMiB);
    (void)allocator.take(kMiB, 0);
    QCOMPARE(allocator.heldBytes(), 2 * kMiB);
    const auto large = allocator.take(kMiB + 1, 0);
    QCOMPARE(allocator.heldBytes(), 22 * kMiB);
    (void)allocator.take(11 * kMiB, 0); // what is left of the 20 MiB
    QCOMPARE(allocator.heldBytes(), 22 * kMiB);
    allocator.giveBack(large);
    allocator.giveBack(small);
    (void)allocator.take(kMiB + 1, 1); // not what stream 0 freed
    QCOMPARE(allocator.heldBytes(), 42 * kMiB);
    (void)allocator.take(11 * kMiB, 2); // a region of its own, a multiple of 2 MiB
    QCOMPARE(allocator.heldBytes(), 54 * kMiB);
}

void TestTargetMemory::pattern_fillsTheBestGap()
{
    MemoryPattern pattern;
    pattern.allocate(0, 400);
    pattern.allocate(1, 100);
    pattern.allocate(2, 200);
    pattern.allocate(3, 100);
    pattern.free(0);
    pattern.free(2);
    pattern.allocate(4, 150); // into 200, not into 400
    pattern.allocate(5, 400);
    QCOMPARE(pattern.bytes(), std::size_t{800});
    pattern.allocate(6, 60); // what is left of 200 is 50
    QCOMPARE(pattern.bytes(), std::size_t{860});
}

// A chain of three of one shape: the third takes the first one's memory, so that two lie in the buffer of later runs.
void TestTargetMemory::oneStream_sameShape_isReused()
{
    const std::size_t bytes = 512 * 1024;
    auto made = allocations(
        {bytes, bytes, bytes, 256},
        {{.makes = {0}}, {.reads = {0}, .makes = {1}}, {.reads = {1}, .makes = {2}}, {.reads = {2}, .makes = {3}}});
    made.values[3].isOutput = true;
    const ArenaUse use = arenaOfOneStream(made);
    // The first region of 1 MiB holds two, the second one, of 2 MiB, the output.
    QCOMPARE(use.peakBytes, kMiB + 256);
    QCOMPARE(use.heldBytes, 3 * kMiB);
}

void TestTargetMemory::streams_sideBySide_holdBoth()
{
    std::vector<AllocatingNode> nodes{{.stream = 0, .makes = {0}, .scratchBytes = kMiB, .work = 2},
                                      {.stream = 1, .makes = {1}, .scratchBytes = kMiB, .work = 2},
                                      {.stream = 0, .reads = {0, 1}, .makes = {2}, .work = 1}};
    auto made = allocations({256, 256, 256}, nodes);
    made.values[2].isOutput = true;
    QCOMPARE(arenaOfStreams(made, false).peakBytes, 2 * kMiB + 512);
    for (AllocatingNode &node : made.nodes) // one after another: one scratch memory at a time
        node.stream = 0;
    QVERIFY(arenaOfStreams(made, false).peakBytes < 2 * kMiB);
}

// The third node finds what the first one's tensor lay in, unless that is another stream's.
void TestTargetMemory::streams_onAGpu_shareNothing()
{
    auto made = allocations({kMiB, kMiB, kMiB}, {{.stream = 0, .makes = {0}, .work = 1},
                                                 {.stream = 1, .reads = {0}, .makes = {1}, .work = 1},
                                                 {.stream = 2, .reads = {1}, .makes = {2}, .work = 1}});
    made.values[2].isOutput = true;
    QCOMPARE(arenaOfStreams(made, false).heldBytes, 3 * kMiB);
    QCOMPARE(arenaOfStreams(made, true).heldBytes, 7 * kMiB);
}

// ONNX Runtime runs the sample as conv2, conv3, conv1, conv4, concat: the last node that a node reads comes first, and
// fused nodes are numbered anew in the order in which they are met.
void TestTargetMemory::order_fusedNodes_lastFirst()
{
    const Graph graph = *openedModel("sample")->graph;
    auto made = nodeAllocations(graph, sequential(graph), 4, {});
    QVERIFY(made);
    const NodeAllocations ordered = inOrderOfOnnxRuntime(*made);
    const auto nameOf = [&](const AllocatingNode &node) { // values are made as operators are
        for (std::size_t i = 0; i < made->nodes.size(); ++i) {
            if (made->nodes[i].makes == node.makes)
                return QString::fromStdString(graph.operators()[i].name);
        }
        return QString();
    };
    QStringList names;
    for (const AllocatingNode &node : ordered.nodes)
        names << nameOf(node);
    QCOMPARE(names, (QStringList{"conv2", "conv3", "conv1", "conv4", "concat"}));
}

void TestTargetMemory::nodes_merged_splitIsCopiedOrViewed()
{
    const Graph graph = *openedModel("sample")->graph;
    Schedule schedule = sequential(graph);
    const auto id = [&](const char *name) { return *graph.find(name); };
    std::erase_if(schedule.stages, [&](const Stage &stage) {
        return stage.groups.front().front() == id("conv1") || stage.groups.front().front() == id("conv2");
    });
    schedule.stages.insert(schedule.stages.begin(), stageOf(graph, 0, {id("conv1"), id("conv2")}, Strategy::Merge));
    const auto copied = nodeAllocations(graph, schedule, 4, {});
    const auto viewed = nodeAllocations(graph, schedule, 4, {.copiesSplits = false});
    QVERIFY(copied && viewed);
    QCOMPARE(copied->nodes.size(), viewed->nodes.size() + 1);
    QCOMPARE(copied->nodes[1].makes.size(), std::size_t{2});
    QCOMPARE(std::ranges::count_if(viewed->values, [](const NodeValue &value) { return value.viewOf.has_value(); }), 2);
}

void TestTargetMemory::pyTorch_readAcrossStreams_isKept()
{
    const Graph graph = *openedModel("sample")->graph;
    const auto alone = targetMemory(MemoryTarget::PyTorchGraph, graph, sequential(graph), 4);
    QVERIFY(alone);
    QCOMPARE(alone->keptBytes, std::size_t{0});
    Schedule schedule = sequential(graph);
    const auto id = [&](const char *name) { return *graph.find(name); };
    schedule.stages = {stageOf(graph, 0, {id("conv1"), id("conv2"), id("conv3")}, Strategy::Concurrent),
                       stageAlone(id("conv4")), stageAlone(id("concat"))};
    const auto beside = targetMemory(MemoryTarget::PyTorchGraph, graph, schedule, 4);
    QVERIFY(beside);
    // conv2 and conv3, which the first stream reads.
    std::size_t kept = 0;
    for (const char *name : {"conv2", "conv3"})
        kept += static_cast<std::size_t>(graph.tensor(graph.op(id(name)).outputs.front()).shape.elements()) * 4;
    QCOMPARE(beside->keptBytes, kept);
}

void TestTargetMemory::pyTorch_kept_isNeverReused()
{
    const Graph graph = *openedModel("squeezenet")->graph;
    const auto alone = targetMemory(MemoryTarget::PyTorchGraph, graph, sequential(graph), 4);
    Schedule schedule = sequential(graph);
    std::vector<Stage> &stages = schedule.stages; // both expands of a module side by side
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
        const std::vector<OperatorId> pair{stages[i].groups.front().front(), stages[i + 1].groups.front().front()};
        if (std::ranges::count(graph.predecessors(pair[1]), pair[0]) > 0)
            continue;
        stages[i] = stageOf(graph, 0, pair, Strategy::Concurrent);
        stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    const auto beside = targetMemory(MemoryTarget::PyTorchGraph, graph, schedule, 4);
    QVERIFY(alone && beside);
    QVERIFY(beside->keptBytes > alone->peakBytes); // so it matters that all of it is there at the end
    QVERIFY(beside->peakBytes >= beside->keptBytes);
}

void TestTargetMemory::onnxRuntime_networks_asRecorded_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<double>("heldMiB"); // by the profile of ONNX Runtime 1.32 on two processors, one stream
    QTest::newRow("sample") << "sample" << 9.0;
    QTest::newRow("squeezenet") << "squeezenet" << 32.0;
    QTest::newRow("googlenet") << "googlenet" << 8.0;
    QTest::newRow("inception_v3") << "inception_v3" << 32.0;
    QTest::newRow("shufflenet_v2") << "shufflenet_v2" << 4.0;
    QTest::newRow("mobilenet_v2") << "mobilenet_v2" << 16.0;
    QTest::newRow("resnet50") << "resnet50" << 32.0;
    QTest::newRow("resnet101") << "resnet101" << 32.0;
    QTest::newRow("randwire") << "randwire" << 64.0;
    QTest::newRow("nasnet") << "nasnet" << 64.0;
}

void TestTargetMemory::onnxRuntime_networks_asRecorded()
{
    QFETCH(const QString, model);
    QFETCH(const double, heldMiB);
    const auto opened = openedModel(model.toStdString());
    QVERIFY(opened);
    const auto memory = targetMemory(MemoryTarget::OnnxRuntime, *opened->graph, sequential(*opened->graph), 4);
    QVERIFY(memory);
    const double predicted = static_cast<double>(memory->heldBytes) / static_cast<double>(kMiB);
    QVERIFY2(std::abs(predicted / heldMiB - 1) <= 0.1, qPrintable(QString::number(predicted)));
}

void TestTargetMemory::unknownShape_refusedByName()
{
    GraphBuilder builder("unknown");
    const auto input = builder.addInput("x", Shape{{1, 4}});
    Operator op;
    op.name = "odd";
    op.type = "Odd";
    op.inputs = {{*input}};
    Tensor output;
    output.name = "y";
    output.shape.known = false;
    QVERIFY(builder.add(op, {output}));
    const auto graph = builder.build();
    QVERIFY(graph);
    for (const MemoryTargetRow &row : memoryTargets()) {
        const auto memory = targetMemory(row.target, *graph, sequential(*graph), 4);
        QVERIFY(!memory);
        QVERIFY(QString::fromStdString(memory.error().message).contains("y"));
    }
}

STAGECRAFT_SUITE(TestTargetMemory)

} // namespace tst_target_memory
#include "tst_target_memory.moc"
