// The streams that ONNX Runtime proposes: the deepest successor stays, others go to new or the least loaded streams.

#include "schedule/streams/verify_streams.h"
#include "search/streams/by_depth.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_by_depth {

namespace {

// x -> a -> {b; c -> d} and x -> e, all joined.
Graph branching()
{
    GraphBuilder builder("net");
    const TensorId x = take(builder.addInput("x", Shape{{1, 4, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 4)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 4)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 4)));
    const TensorId d = take(builder.add(conv("d", {{c}}, 4)));
    const TensorId e = take(builder.add(conv("e", {{x}}, 4)));
    const TensorId all = take(builder.add(join("all", {{b}, {d}, {e}})));
    return take(builder.build({all}));
}

std::uint32_t streamOf(const Graph &graph, const Streams &streams, const char *name)
{
    const OperatorId id = *graph.find(name);
    return std::ranges::find(streams.launches, std::vector{id}, &StreamLaunch::operators)->stream;
}

} // namespace

class TestByDepth : public QObject {
    Q_OBJECT

private slots:
    void streams_deepestSuccessor_staysOnTheStream()
    {
        const Graph graph = branching();
        const Streams streams = byDepthStreams(graph, 4);
        QVERIFY(verifyStreams(graph, streams));
        QCOMPARE(streams.count, 3U);
        const auto on = [&](const char *name) { return streamOf(graph, streams, name); };
        QVERIFY(on("a") == on("c") && on("c") == on("d"));
        QCOMPARE(on("all"), on("b")); // the first of those that it follows
        QVERIFY(on("b") != on("a") && on("e") != on("a") && on("e") != on("b"));
    }

    void streams_noMoreThanAllowed_goToTheLeastLoaded()
    {
        const Graph graph = branching();
        const Streams two = byDepthStreams(graph, 2);
        QVERIFY(verifyStreams(graph, two));
        QCOMPARE(two.count, 2U);
        QCOMPARE(streamOf(graph, two, "b"), streamOf(graph, two, "e")); // the other has three by then
        const Streams one = byDepthStreams(graph, 1);
        QCOMPARE(one.count, 1U);
        QCOMPARE(one.eventCount(), 0U);
    }
};

STAGECRAFT_SUITE(TestByDepth)

} // namespace tst_by_depth
#include "tst_by_depth.moc"
