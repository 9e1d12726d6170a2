// Streams on lanes that each run one launch at a time, by hand.

#include "search/streams/lane_estimate.h"

#include "schedule/streams/stream_events.h"
#include "schedule/streams/stream_parts.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/random_streams.h"
#include "support/suite.h"

#include <QTest>

#include <array>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_lane_estimate {
namespace {

constexpr OperatorId kA{0};
constexpr OperatorId kB{1};
constexpr OperatorId kC{2};
constexpr OperatorId kD{3};

// a, which b and c read, and d, which reads both.
std::shared_ptr<const Graph> diamond()
{
    GraphBuilder builder("diamond");
    const TensorId x = take(builder.addInput("x", {{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 8)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 8)));
    const TensorId d = take(builder.add(join("d", {{b}, {c}})));
    return std::make_shared<const Graph>(take(builder.build({d})));
}

Streams onTwo(const Graph &graph)
{
    return withNeededEvents(graph, {2, {{{kA}, 0}, {{kB}, 0}, {{kC}, 1}, {{kD}, 0}}});
}

LaneEstimate known(double alone, double beside)
{
    LaneEstimate estimate(2);
    for (const OperatorId id : {kA, kB, kC, kD}) {
        estimate.add(std::array{id}, 2, alone);
        estimate.add(std::array{id}, 1, beside);
    }
    return estimate;
}

} // namespace

class TestLaneEstimate : public QObject {
    Q_OBJECT

private slots:
    void partsOf_diamond_areItsMiddleAndTheRest();
    void partsOf_randomStreams_followEachOther();
    void latencyUs_sideBySide_isThatOfTheSlowest();
    void latencyUs_theOnlyOneThatMayRun_hasAllCores();
    void latencyUs_unknownWidth_isScaled();
    void latencyUs_neverRun_isRefused();
};

void TestLaneEstimate::partsOf_diamond_areItsMiddleAndTheRest()
{
    const auto graph = diamond();
    const auto parts = partsOf(onTwo(*graph));
    QCOMPARE(parts.size(), std::size_t{3});
    QVERIFY(!parts[0].isSideBySide && parts[1].isSideBySide && !parts[2].isSideBySide);
    QCOMPARE(parts[1].launches, (std::vector<std::size_t>{1, 2}));
    QCOMPARE(parts[1].streams, std::size_t{2});
}

void TestLaneEstimate::partsOf_randomStreams_followEachOther()
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const Graph graph = randomGraph(random(), {.operators = 12});
        const Streams streams = randomStreams(graph, 1 + random() % 4, random);
        std::size_t next = 0;
        for (const StreamPart &part : partsOf(streams)) {
            for (const std::size_t launch : part.launches)
                QCOMPARE(launch, next++);
            const auto waiters = waitersIn(part, streams);
            for (std::size_t i = 0; i < waiters.size(); ++i) {
                for (const std::uint32_t waiter : waiters[i])
                    QVERIFY(waiter > i && waiter < part.launches.size());
            }
        }
        QCOMPARE(next, streams.launches.size());
    }
}

void TestLaneEstimate::latencyUs_sideBySide_isThatOfTheSlowest()
{
    const auto graph = diamond();
    LaneEstimate estimate = known(10, 15);
    estimate.add(std::array{kC}, 1, 18);
    estimate.add(std::array{kC}, 1, 18); // the median of three
    QCOMPARE(*estimate.latencyUs(onTwo(*graph)), 10.0 + 18 + 10);
    estimate.setGaps(1, 2);
    QCOMPARE(*estimate.latencyUs(onTwo(*graph)), 11.0 + 19 + 11 + 3 * 2);
    const Streams alone = withNeededEvents(*graph, {1, {{{kA}, 0}, {{kB}, 0}, {{kC}, 0}, {{kD}, 0}}});
    QCOMPARE(*estimate.latencyUs(alone), 4 * 11.0 + 2);
}

void TestLaneEstimate::latencyUs_theOnlyOneThatMayRun_hasAllCores()
{
    GraphBuilder builder("tail");
    const TensorId x = take(builder.addInput("x", {{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 8)));
    const TensorId c = take(builder.add(conv("c", {{x}}, 8)));
    const Graph graph = take(builder.build({b, c}));
    const Streams streams = withNeededEvents(graph, {2, {{{kA}, 0}, {{kC}, 1}, {{kB}, 0}}});
    LaneEstimate estimate = known(10, 15);
    estimate.add(std::array{kC}, 1, 12);
    estimate.add(std::array{kC}, 1, 12);
    QCOMPARE(*estimate.latencyUs(streams), 15.0 + 10); // a beside c, then b alone
}

void TestLaneEstimate::latencyUs_unknownWidth_isScaled()
{
    const auto graph = diamond();
    LaneEstimate estimate(2);
    for (const OperatorId id : {kA, kB, kC, kD})
        estimate.add(std::array{id}, 2, 10);
    QCOMPARE(*estimate.latencyUs(onTwo(*graph)), 10.0 + 20 + 10);
}

void TestLaneEstimate::latencyUs_neverRun_isRefused()
{
    const auto graph = diamond();
    const auto us = LaneEstimate(2).latencyUs(onTwo(*graph));
    QVERIFY(!us && us.error().code == ErrorCode::DeviceFailed);
}

STAGECRAFT_SUITE(TestLaneEstimate)

} // namespace tst_lane_estimate
#include "tst_lane_estimate.moc"
