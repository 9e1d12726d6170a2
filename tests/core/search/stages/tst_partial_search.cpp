// A search where some latencies are known and no more can be had: its bound holds whatever the others are, and what it
// wants is enough to find the optimum.

#include "search/stages/search.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_partial_search {

namespace {

constexpr double kSameSum = 1e-9;

// Another device, of which some stages are known.
class Partial : public StageLatencySource {
public:
    Partial(const Graph &graph, StageLatencySource &all) : m_signer(graph), m_all(all) {}

    void learn(const Stage &stage) { m_known.insert(m_signer.sign(stage)); }
    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (!has(question))
            return fail(ErrorCode::InvalidInput, "a stage was asked for that is not known");
        return m_all.stageLatency(question, std::move(stop));
    }
    BoundaryCost boundaryCost() const override { return m_all.boundaryCost(); }
    bool isPartial() const override { return true; }
    bool has(const StageQuestion &question) const override
    {
        return m_known.contains(question.signature ? *question.signature : m_signer.sign(question.stage));
    }

private:
    mutable StageSigner m_signer;
    StageLatencySource &m_all;
    std::set<StageSignature> m_known;
};

} // namespace

class TestPartialSearch : public QObject {
    Q_OBJECT

private slots:
    void search_someStagesKnown_boundsTheOptimum_data();
    void search_someStagesKnown_boundsTheOptimum();
    void search_wantedLearned_findsTheOptimum_data() { search_someStagesKnown_boundsTheOptimum_data(); }
    void search_wantedLearned_findsTheOptimum();
    void search_operatorsNotKnown_isRefused();
    void search_withinEpsilon_wantsNothing();
};

void TestPartialSearch::search_someStagesKnown_boundsTheOptimum_data()
{
    QTest::addColumn<std::uint32_t>("seed");
    QTest::addColumn<double>("barrierUs");
    for (std::uint32_t seed = 1; seed <= 20; ++seed)
        QTest::addRow("seed %u", seed) << seed << (seed % 2 ? 0.0 : 1.5);
}

void TestPartialSearch::search_someStagesKnown_boundsTheOptimum()
{
    QFETCH(std::uint32_t, seed);
    QFETCH(double, barrierUs);
    const Graph graph = randomGraph(seed, {.operators = 9});
    const Blocks blocks = consecutiveBlocks(graph, 2);
    SharedDevice device(graph);
    device.boundary = {barrierUs, barrierUs / 4};
    SearchOptions options;
    options.exhaustive = true;
    const double bestUs = take(searchSchedule(graph, blocks, device, options)).schedule.search.sumUs;

    Partial partial(graph, device);
    for (const Stage &stage : sequentialSchedule(graph, blocks).stages)
        partial.learn(stage);
    const FoundSchedule found = take(searchSchedule(graph, blocks, partial, {}));
    const SearchRecord &search = found.schedule.search;
    QVERIFY(search.sumUs >= bestUs * (1 - kSameSum));
    QVERIFY2(search.sumUs <= bestUs * (1 + search.gap) * (1 + kSameSum), qPrintable(QString::number(search.gap)));
    QCOMPARE(found.wanted.empty(), search.gap == 0);
    QVERIFY(std::ranges::is_sorted(found.wanted, {}, &MissingStage::leastUs));
    for (const MissingStage &wanted : found.wanted)
        QVERIFY(wanted.leastUs < search.sumUs && !partial.has(wanted.stage));
}

void TestPartialSearch::search_wantedLearned_findsTheOptimum()
{
    QFETCH(std::uint32_t, seed);
    QFETCH(double, barrierUs);
    const Graph graph = randomGraph(seed, {.operators = 9});
    const Blocks blocks = consecutiveBlocks(graph, 2);
    SharedDevice device(graph);
    device.boundary = {barrierUs, barrierUs / 4};
    SearchOptions options;
    options.exhaustive = true;
    const double bestUs = take(searchSchedule(graph, blocks, device, options)).schedule.search.sumUs;

    Partial partial(graph, device);
    for (const Stage &stage : sequentialSchedule(graph, blocks).stages)
        partial.learn(stage);
    // One after the other: whatever is left out at the end could not have helped.
    std::size_t learned = 0;
    for (;; ++learned) {
        const FoundSchedule found = take(searchSchedule(graph, blocks, partial, {}));
        if (found.wanted.empty()) {
            QVERIFY(std::abs(found.schedule.search.sumUs - bestUs) <= bestUs * kSameSum);
            QCOMPARE(found.schedule.search.gap, 0.0);
            break;
        }
        partial.learn(found.wanted.front().stage);
        QVERIFY(partial.has(found.wanted.front().stage));
    }
    QVERIFY(learned > 0);
}

void TestPartialSearch::search_operatorsNotKnown_isRefused()
{
    const Graph graph = randomGraph(1, {.operators = 5});
    const Blocks blocks = consecutiveBlocks(graph, 1);
    SharedDevice device(graph);
    Partial partial(graph, device);
    const auto found = searchSchedule(graph, blocks, partial, {});
    QVERIFY(!found && found.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(QString::fromStdString(found.error().message), QString("no schedule could be measured"));
}

void TestPartialSearch::search_withinEpsilon_wantsNothing()
{
    const Graph graph = randomGraph(3, {.operators = 9});
    const Blocks blocks = consecutiveBlocks(graph, 2);
    SharedDevice device(graph);
    Partial partial(graph, device);
    for (const Stage &stage : sequentialSchedule(graph, blocks).stages)
        partial.learn(stage);
    const FoundSchedule all = take(searchSchedule(graph, blocks, partial, {}));
    QVERIFY(!all.wanted.empty());
    SearchOptions options;
    options.epsilon = all.schedule.search.gap / 2;
    const FoundSchedule some = take(searchSchedule(graph, blocks, partial, options));
    QVERIFY(!some.wanted.empty() && some.wanted.size() <= all.wanted.size());
    options.epsilon = all.schedule.search.gap + 0.01;
    const FoundSchedule none = take(searchSchedule(graph, blocks, partial, options));
    QVERIFY(none.wanted.empty());
    QVERIFY(none.schedule.search.gap <= options.epsilon);
}

STAGECRAFT_SUITE(TestPartialSearch)

} // namespace tst_partial_search
#include "tst_partial_search.moc"
