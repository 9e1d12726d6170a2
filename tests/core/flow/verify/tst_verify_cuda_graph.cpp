// CUDA graphs as DOT: read as CUDA writes them, paths along the edges of the model, any that is missing is found.

#include "flow/verify/verify_cuda_graph.h"

#include "flow/verify/cuda_graph_dot.h"
#include "support/graph_making.h"
#include "support/profile_making.h"
#include "support/random_graph.h"
#include "support/random_streams.h"
#include "support/suite.h"

#include <QTest>

#include <stop_token>
#include <utility>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_verify_cuda_graph {

namespace {

constexpr int kPlans = 1000;

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

QByteArray kernelNode(std::size_t index, const QByteArray &function)
{
    const QByteArray number = QByteArray::number(static_cast<qulonglong>(index));
    return "\"graph_1_node_" + number + "\"[style=\"bold\" shape=\"record\" label=\"{KERNEL\n| {ID | " + number +
           " (topoId: 3) | " + function +
           "\\<\\<\\<\\{16,10,4\\},128,0\\>\\>\\>}\n| {{node handle | func handle} | {0x01 | 0x02}}\n| {cooperative | "
           "0}\n}\"];\n";
}

QByteArray dotOf(const QByteArray &nodes, const Edges &edges)
{
    QByteArray text = "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n" + nodes;
    for (const auto &[from, to] : edges)
        text += "\"graph_1_node_" + QByteArray::number(static_cast<qulonglong>(from)) + "\" -> \"graph_1_node_" +
                QByteArray::number(static_cast<qulonglong>(to)) + "\" [headlabel=0];\n";
    return text + "}\n}\n";
}

Model modelOf(Graph graph)
{
    Model model;
    model.name = "random";
    model.graph = std::make_shared<const Graph>(std::move(graph));
    return model;
}

// Launches as they are captured: after the one before on their stream and those that they wait for.
Edges edgesOf(const Streams &streams)
{
    Edges edges;
    std::vector<std::optional<std::size_t>> last(streams.count);
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        if (last[launch.stream])
            edges.emplace_back(*last[launch.stream], i);
        for (const std::uint32_t wait : launch.waits)
            edges.emplace_back(wait, i);
        last[launch.stream] = i;
    }
    return edges;
}

QByteArray nodesOf(const Graph &graph, const Streams &streams)
{
    QByteArray nodes;
    for (std::size_t i = 0; i < streams.launches.size(); ++i)
        nodes += kernelNode(i, QByteArray::fromStdString(graph.op(streams.launches[i].operators.front()).name));
    return nodes;
}

} // namespace

class TestVerifyCudaGraph : public QObject {
    Q_OBJECT

private slots:
    void read_nodes_haveTheirKernels();
    void read_labelsWithTheWordSubgraph_areNoChildGraphs();
    void read_otherFiles_areRefused_data();
    void read_otherFiles_areRefused();
    void verify_stopRequested_isCancelled();
    void verify_anyEdgeRemoved_isFound();
    void verify_kernelsOfOtherNames_areMappedByOrder();
};

void TestVerifyCudaGraph::read_nodes_haveTheirKernels()
{
    const QByteArray copy =
        "\"graph_1_node_1\"[style=\"solid\" shape=\"record\" label=\"{\nMEMCPY\n| {{ID | node handle} "
        "| {1 (topoId: 1) | 0x03}}\n| {kind | DtoD (DEVICE to DEVICE)}\n}\"];\n";
    const QByteArray brief = "\"graph_1_node_2\"[style=\"bold\" shape=\"octagon\" label=\"2\n_Z5saxpyifPfS_\n\"];\n";
    const QByteArray event = "\"graph_1_node_3\"[style=\"solid\" shape=\"rectangle\" label=\"3\nEVENT_RECORD\n\"];\n";
    const QByteArray text =
        dotOf(kernelNode(0, "_ZN2at6native4gemmI\\<x\\>Ev") + copy + brief + event, {{0, 1}, {1, 2}, {0, 3}});
    QVERIFY(isCudaGraphDot(text.toStdString()));
    const CudaGraphFile file = take(cudaGraphFromDot(text.toStdString()));
    QCOMPARE(file.nodes.size(), std::size_t{4});
    QCOMPARE(file.nodes[0].kernel, std::string("_ZN2at6native4gemmI<x>Ev"));
    QCOMPARE(file.nodes[1].kernel, std::string());
    QCOMPARE(file.nodes[2].kernel, std::string("_Z5saxpyifPfS_"));
    QCOMPARE(file.nodes[3].kernel, std::string());
    QCOMPARE(file.edges, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 2}, {0, 3}}));
    QVERIFY(!isCudaGraphDot("digraph \"sample\" {\n  label=\"sample\";"));
}

void TestVerifyCudaGraph::read_labelsWithTheWordSubgraph_areNoChildGraphs()
{
    const QByteArray text = dotOf(kernelNode(0, "fused_subgraph_\\\"x") + kernelNode(1, "subgraph"), {{0, 1}});
    const CudaGraphFile file = take(cudaGraphFromDot(text.toStdString()));
    QCOMPARE(file.nodes.size(), std::size_t{2});
    QCOMPARE(file.nodes[0].kernel, std::string("fused_subgraph_\"x"));
    QCOMPARE(file.nodes[1].kernel, std::string("subgraph"));
}

void TestVerifyCudaGraph::read_otherFiles_areRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray node = kernelNode(0, "a");
    QTest::newRow("cut short in a node") << dotOf(node, {}).left(120) << "it is cut short";
    QTest::newRow("cut short behind it") << dotOf(node, {}).chopped(5) << "it is cut short";
    QTest::newRow("no nodes") << dotOf({}, {}) << "it has no nodes";
    QTest::newRow("an edge of nothing") << dotOf(node, {{0, 7}})
                                        << "an edge has the node graph_1_node_7, which is not there";
    QTest::newRow("a circle") << dotOf(node + kernelNode(1, "b"), {{0, 1}, {1, 0}}) << "its edges go round in a circle";
    QTest::newRow("another model") << dotOf(node, {})
                                   << "it has 1 kernel, and none fits an operator of random: nothing can be checked";
    QTest::newRow("a child graph") << dotOf(node, {}).replace("}\n}\n", "}\nsubgraph cluster_2 {\n}\n}\n")
                                   << "it has child graphs, which are not read";
}

void TestVerifyCudaGraph::read_otherFiles_areRefused()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto verified = verifyCudaGraph(text.toStdString(), modelOf(randomGraph(1, {})));
    QVERIFY(!verified);
    QCOMPARE(errorOf(verified.error()), says);
}

void TestVerifyCudaGraph::verify_stopRequested_isCancelled()
{
    std::stop_source source;
    source.request_stop();
    const auto verified =
        verifyCudaGraph(dotOf(kernelNode(0, "a"), {}).toStdString(), modelOf(randomGraph(1, {})), source.get_token());
    QVERIFY(!verified && verified.error().code == ErrorCode::Cancelled);
}

void TestVerifyCudaGraph::verify_anyEdgeRemoved_isFound()
{
    std::mt19937 random(46);
    std::size_t removed = 0;
    for (std::uint32_t round = 0; round < kPlans; ++round) {
        const Model model = modelOf(randomGraph(round, {.operators = 4 + static_cast<int>(round % 8)}));
        const Streams streams = randomStreams(*model.graph, 1 + random() % 4, random);
        const QByteArray nodes = nodesOf(*model.graph, streams);
        const VerifiedPlan passed = take(verifyCudaGraph(dotOf(nodes, edgesOf(streams)).toStdString(), model));
        QVERIFY(passed.faults.empty());
        QCOMPARE(passed.mappedOperators.value_or(0), model.graph->size());
        for (std::size_t i = 0; i < streams.launches.size(); ++i) {
            for (const std::uint32_t wait : streams.launches[i].waits) {
                Streams without = streams;
                std::erase(without.launches[i].waits, wait);
                const auto faults = take(verifyCudaGraph(dotOf(nodes, edgesOf(without)).toStdString(), model)).faults;
                const auto name = [&](std::size_t launch) {
                    return model.graph->op(streams.launches[launch].operators.front()).name;
                };
                const std::vector<std::string> pair{name(wait), name(i)};
                QVERIFY(std::ranges::count(faults, pair, &PlanFault::launches) == 1);
                ++removed;
            }
        }
    }
    qInfo("%zu edges removed", removed);
    QVERIFY(removed > kPlans);
}

// Three convolutions one after the other, by kernels whose names say only that.
void TestVerifyCudaGraph::verify_kernelsOfOtherNames_areMappedByOrder()
{
    GraphBuilder builder("chain");
    TensorId tensor = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    for (const char *name : {"a", "b", "c"})
        tensor = take(builder.add(conv(name, {{tensor}}, 8)));
    const Model model = modelOf(take(builder.build()));
    const QByteArray nodes = kernelNode(0, "cudnn_fprop_1") + kernelNode(1, "cudnn_fprop_2") +
                             kernelNode(2, "cudnn_fprop_3") + kernelNode(3, "elsewhere");
    const VerifiedPlan passed = take(verifyCudaGraph(dotOf(nodes, {{0, 1}, {1, 2}}).toStdString(), model));
    QVERIFY(passed.faults.empty());
    QCOMPARE(passed.mappedOperators.value_or(0), std::size_t{3});
    QCOMPARE(passed.edges.value_or(0), std::size_t{2});
    QCOMPARE(passed.notShown,
             (std::vector<std::string>{"memory: which bytes kernels read and write",
                                       "the operators of 1 kernel: no name fits",
                                       "the operators of 3 kernels for sure: type and order told them"}));
    const VerifiedPlan failed = take(verifyCudaGraph(dotOf(nodes, {{0, 1}}).toStdString(), model));
    QCOMPARE(failed.faults.size(), std::size_t{1});
    QCOMPARE(failed.faults.front().reason,
             std::string("c reads from b, and no path of the graph makes it wait for all of its kernels"));
}

STAGECRAFT_SUITE(TestVerifyCudaGraph)

} // namespace tst_verify_cuda_graph
#include "tst_verify_cuda_graph.moc"
