#include "plan/memory_use.h"
#include "schedule/verify.h"
#include "search/capped/capped_search.h"
#include "search/stages/search.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_capped_search {

namespace {

constexpr std::uint32_t kGraphs = kSanitized ? 50 : 1000;
const CountedMemory kCounted{4};

Result<plan::StageWorkspace> someWorkspace(const Stage &stage)
{
    plan::StageWorkspace bytes;
    for (const auto &group : stage.groups)
        bytes.push_back(300 * group.size() * group.size());
    bytes.resize(stage.concurrentGroups());
    return bytes;
}

// Up to eight; few of that many, which take half a second each to enumerate.
std::size_t operatorCount(std::uint32_t seed)
{
    return seed % 50 == 49 ? 8 : 2 + seed % 6;
}

struct Case {
    Graph graph;
    Blocks blocks;
    SearchOptions options;
};

// Convolutions of different widths that share inputs, so that they can be merged, and joins of what is there.
Graph graphWithJoins(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    GraphBuilder builder("joins" + std::to_string(seed));
    std::vector<TensorId> tensors{
        take(builder.addInput("input", Shape{{1 + static_cast<std::int64_t>(below(2)), 8, 8, 8}}))};
    const std::size_t operators = operatorCount(seed);
    for (std::size_t i = 0; i < operators; ++i) {
        const std::string name = "op" + std::to_string(i);
        const TensorId a = tensors[below(tensors.size())];
        const TensorId b = tensors[below(tensors.size())];
        if (below(4) == 0 && a != b)
            tensors.push_back(take(builder.add(join(name, {{a}, {b}}))));
        else
            tensors.push_back(take(builder.add(conv(name, {{tensors[below(std::min<std::size_t>(tensors.size(), 3))]}},
                                                    static_cast<std::int64_t>(4 + 4 * below(4))))));
    }
    return take(builder.build());
}

Case makeCase(std::uint32_t seed)
{
    RandomGraphOptions random;
    random.operators = static_cast<int>(operatorCount(seed));
    random.sharedInput = 0.6;
    random.products = seed % 4 == 1 ? 0.5 : 0;
    Case made{seed % 2 == 0 ? graphWithJoins(seed) : randomGraph(seed, random), {}, {}};
    made.blocks = consecutiveBlocks(made.graph, 1 + seed % 2);
    made.options.r = 1 + static_cast<int>(seed % 3);
    made.options.s = 1 + static_cast<int>(seed % 4);
    return made;
}

std::size_t peakOf(const Graph &graph, std::span<const Stage> stages, const CountedMemory &counted = kCounted)
{
    std::vector<plan::StageWorkspace> workspace;
    for (std::size_t i = 0; i < stages.size() && counted.workspace; ++i)
        workspace.push_back(take(counted.workspace(stages[i])));
    return take(plan::plannedMemory(graph, stages, counted.elementBytes, workspace)).livePeakBytes();
}

} // namespace

class TestCappedSearch : public QObject {
    Q_OBJECT

private slots:
    void searchCapped_randomGraphs_equalsBruteForce();
    void smallestCap_randomGraphs_equalsBruteForce();
    void searchCapped_infeasible_namesTheSmallestCap();
    void searchCapped_stopped_isCancelled();

private:
    static void compare(const Case &made, std::uint32_t seed);
};

void TestCappedSearch::compare(const Case &made, std::uint32_t seed)
{
    CountedMemory counted = kCounted;
    if (seed % 3 == 2) // a backend's
        counted.workspace = someWorkspace;
    const std::size_t smallest = take(smallestCap(made.graph, made.blocks, made.options, counted, {}, {}));
    // Caps between the smallest and one that binds nothing.
    const MemoryCap cap{smallest + (seed % 4) * 2048, counted};
    SharedDevice source(made.graph);
    source.boundary = {1.5, 0.5};
    source.sharing = 0.1 * (seed % 9);
    source.mergeGain = 0.5 + 0.1 * (seed % 5);
    BruteForce all(made.graph, made.blocks, made.options);
    all.accepts = [&](std::span<const Stage> stages) { return peakOf(made.graph, stages, counted) <= cap.bytes; };
    const double bestUs = all.run(source).bestUs;
    const auto result = searchCapped(made.graph, made.blocks, source, made.options, cap, {}, {});
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    QVERIFY2(result->sumUs == bestUs,
             qPrintable(QString("seed %1: %2, brute force %3").arg(seed).arg(result->sumUs).arg(bestUs)));
    QVERIFY(result->livePeakBytes <= cap.bytes);
    QCOMPARE(result->livePeakBytes, peakOf(made.graph, result->stages, counted));
    QVERIFY(verifyStages(made.graph, result->stages));
}

void TestCappedSearch::searchCapped_randomGraphs_equalsBruteForce()
{
    for (std::uint32_t seed = 0; seed < kGraphs && !QTest::currentTestFailed(); ++seed)
        compare(makeCase(seed), seed);
}

void TestCappedSearch::smallestCap_randomGraphs_equalsBruteForce()
{
    for (std::uint32_t seed = 0; seed < kGraphs / 4; ++seed) {
        const Case made = makeCase(seed);
        std::size_t least = std::numeric_limits<std::size_t>::max();
        SharedDevice source(made.graph);
        BruteForce all(made.graph, made.blocks, made.options);
        all.accepts = [&](std::span<const Stage> stages) {
            least = std::min(least, peakOf(made.graph, stages));
            return true;
        };
        (void)all.run(source);
        QCOMPARE(take(smallestCap(made.graph, made.blocks, made.options, kCounted, {}, {})), least);
    }
}

void TestCappedSearch::searchCapped_infeasible_namesTheSmallestCap()
{
    const Case made = makeCase(3);
    const std::size_t smallest = take(smallestCap(made.graph, made.blocks, made.options, kCounted, {}, {}));
    SharedDevice source(made.graph);
    const auto result = searchCapped(made.graph, made.blocks, source, made.options, {smallest - 1, kCounted}, {}, {});
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::InvalidInput);
    QVERIFY(result.error().message.find(std::to_string(smallest) + " bytes") != std::string::npos);
    QCOMPARE(source.asked, std::int64_t{0});
}

void TestCappedSearch::searchCapped_stopped_isCancelled()
{
    const Case made = makeCase(3);
    SharedDevice source(made.graph);
    std::stop_source stop;
    stop.request_stop();
    const auto result =
        searchCapped(made.graph, made.blocks, source, made.options, {1U << 30U, kCounted}, {}, stop.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestCappedSearch)

} // namespace tst_capped_search
#include "tst_capped_search.moc"
