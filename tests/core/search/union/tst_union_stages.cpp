// Stages over two models: held against every schedule of their kind.

#include "graph/graph_union.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/launch_order.h"
#include "schedule/streams/verify_streams.h"
#include "schedule/verify.h"
#include "search/infinity.h"
#include "search/stages/search.h"
#include "search/streams/relaxed.h"
#include "search/union/streams_beside.h"
#include "search/union/union_stages.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_union_stages {
namespace {

using Ends = std::array<double, kUnionModels>;
using OwnStages = std::array<std::vector<Stage>, kUnionModels>;

// Two random graphs as one, with the stages that a search finds for each alone.
struct Case {
    std::array<Graph, kUnionModels> graphs;
    GraphUnion joined;
    OwnStages own;

    explicit Case(std::uint32_t seed)
        : graphs{randomGraph(seed, {.operators = 1 + static_cast<int>(seed % 6)}),
                 randomGraph(seed + 1000, {.operators = 1 + static_cast<int>(seed / 6 % 6)})},
          joined(unionOf(std::array{NamedGraph{"x", &graphs[0]}, NamedGraph{"y", &graphs[1]}}))
    {
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            const Graph &graph = graphs[model];
            SharedDevice device(graph);
            const Blocks blocks = consecutiveBlocks(graph, 1);
            const auto found = searchSchedule(graph, blocks, device, {}, {}, {});
            if (!found)
                qFatal("%s", found.error().message.c_str());
            for (Stage stage : found->schedule.stages) {
                for (auto &group : stage.groups) {
                    for (OperatorId &id : group)
                        id = joined.parts[model].idOf(id);
                }
                own[model].push_back(std::move(stage));
            }
        }
    }
};

// From the definition: every sequence of steps, without bounds or a table.
class EverySchedule {
public:
    EverySchedule(const Case &tried, StageLatencySource &source, std::size_t most)
        : m_case(tried), m_source(source), m_most(most), m_boundary(source.boundaryCost())
    {
        visit({}, 0, {kInfinity, kInfinity}, nullptr);
    }

    double bestUs = kInfinity;
    std::vector<Ends> all;

    [[nodiscard]] bool isOnFront(const Ends &ends) const
    {
        return std::ranges::none_of(
                   all, [&](const Ends &other) { return other[0] < ends[0] - 1e-9 && other[1] < ends[1] + 1e-9; }) &&
               std::ranges::none_of(
                   all, [&](const Ends &other) { return other[1] < ends[1] - 1e-9 && other[0] < ends[0] + 1e-9; });
    }

private:
    void visit(const std::array<std::size_t, kUnionModels> &done, double us, Ends ends, const Stage *before)
    {
        bool isDone = true;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            if (done[model] < m_case.own[model].size())
                isDone = false;
            else if (ends[model] == kInfinity)
                ends[model] = us;
        }
        if (isDone) {
            all.push_back(ends);
            bestUs = std::min(bestUs, us);
            return;
        }
        for (std::size_t first = 0; first <= m_most; ++first) {
            for (std::size_t second = 0; second <= m_most; ++second) {
                const bool isAlone = first == 0 || second == 0;
                if (first + second == 0 || (isAlone && first + second > 1) || done[0] + first > m_case.own[0].size() ||
                    done[1] + second > m_case.own[1].size())
                    continue;
                step(done, {first, second}, us, ends, before);
            }
        }
    }

    void step(const std::array<std::size_t, kUnionModels> &done, const std::array<std::size_t, kUnionModels> &takes,
              double us, const Ends &ends, const Stage *before)
    {
        std::vector<OperatorId> operators;
        std::vector<Stage> taken;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (std::size_t i = 0; i < takes[model]; ++i) {
                taken.push_back(m_case.own[model][done[model] + i]);
                for (const auto &group : taken.back().groups)
                    operators.insert(operators.end(), group.begin(), group.end());
            }
        }
        if (taken.size() > 1 && std::ranges::any_of(taken, &Stage::isMerged))
            return;
        const Stage stage =
            taken.size() == 1 ? taken.front() : stageOf(m_case.joined.graph, 0, operators, Strategy::Concurrent);
        const auto latency = m_source.stageLatency(stage, {});
        if (!latency)
            return;
        visit({done[0] + takes[0], done[1] + takes[1]},
              us + (before ? m_boundary.between(*before, stage) : 0) + latency->timing.latencyUs, ends, &stage);
    }

    const Case &m_case;
    StageLatencySource &m_source;
    std::size_t m_most;
    BoundaryCost m_boundary;
};

// What the stages of the plan take by the source, and when each model ends.
std::pair<double, Ends> timeOf(const UnionPlan &plan, const Case &tried, StageLatencySource &source)
{
    double us = 0;
    Ends ends{};
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        if (i > 0)
            us += source.boundaryCost().between(plan.stages[i - 1], plan.stages[i]);
        us += take(latencyUs(source, plan.stages[i]));
        for (const OperatorId id : operatorsOf(plan.stages[i]))
            ends[tried.joined.parts[0].contains(id) ? 0 : 1] = us;
    }
    return {us, ends};
}

} // namespace

class TestUnionStages : public QObject {
    Q_OBJECT

private slots:
    void search_randomGraphs_findsTheBestAndTheFront_data();
    void search_randomGraphs_findsTheBestAndTheFront();
    void search_refusedStages_areLeftOut();
    void search_interrupted_keepsWhatIsKnown();
    void search_bounds_saveQuestions();
    void streamsBeside_randomGraphs_areLegal();
    void streamsInSuccession_randomGraphs_endOneBeforeTheOther();
};

void TestUnionStages::search_randomGraphs_findsTheBestAndTheFront_data()
{
    QTest::addColumn<bool>("isRandom");
    QTest::newRow("groups share the device") << false;
    QTest::newRow("nothing bounds anything") << true;
}

void TestUnionStages::search_randomGraphs_findsTheBestAndTheFront()
{
    QFETCH(const bool, isRandom);
    std::size_t shared = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Case tried(seed);
        std::unique_ptr<FakeSource> source;
        if (isRandom)
            source = std::make_unique<RandomSource>(tried.joined.graph, seed);
        else
            source = std::make_unique<SharedDevice>(tried.joined.graph);
        source->boundary = {1.5 + static_cast<double>(seed % 4), 0.25};
        const std::size_t most = 1 + seed % 3;
        const EverySchedule every(tried, *source, most);
        const auto found = take(searchUnionStages(tried.joined.graph, tried.own, *source, {.most = most}));
        QVERIFY(found.isProved && found.isFrontProved);
        QVERIFY(std::abs(found.best.latencyUs - every.bestUs) < 1e-9);
        QVERIFY(!found.front.empty());
        for (const UnionPlan &plan : found.front) {
            QVERIFY(verifyStages(tried.joined.graph, plan.stages).has_value());
            const auto [us, ends] = timeOf(plan, tried, *source);
            QVERIFY(std::abs(us - plan.latencyUs) < 1e-9);
            QVERIFY(std::abs(ends[0] - plan.endsUs[0]) < 1e-9 && std::abs(ends[1] - plan.endsUs[1]) < 1e-9);
            QVERIFY(every.isOnFront(plan.endsUs));
        }
        // Nothing on the front is missing.
        for (const Ends &ends : every.all) {
            const bool isReached = std::ranges::any_of(found.front, [&](const UnionPlan &plan) {
                return plan.endsUs[0] < ends[0] + 1e-9 && plan.endsUs[1] < ends[1] + 1e-9;
            });
            QVERIFY(isReached);
        }
        shared += found.best.stages.size() < tried.own[0].size() + tried.own[1].size() ? 1 : 0;
    }
    QVERIFY2(shared > 30, qPrintable(QString::number(shared)));
}

void TestUnionStages::search_refusedStages_areLeftOut()
{
    std::int64_t refused = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const Case tried(seed);
        SharedDevice source(tried.joined.graph);
        source.boundary = {2, 0.5};
        for (auto &stages : tried.own) { // alone, a stage of one operator is available
            for (const Stage &stage : stages) {
                if (stage.operatorCount() > 1)
                    source.brokenKernel = -1;
            }
        }
        if (source.brokenKernel == 0)
            source.brokenKernel = 3;
        const EverySchedule every(tried, source, 2);
        const auto found = take(searchUnionStages(tried.joined.graph, tried.own, source, {.most = 2}));
        QVERIFY(std::abs(found.best.latencyUs - every.bestUs) < 1e-9);
        refused += found.refused;
    }
    QVERIFY(refused > 0);
}

void TestUnionStages::search_interrupted_keepsWhatIsKnown()
{
    const Case tried(29);
    SharedDevice source(tried.joined.graph);
    source.boundary = {2, 0.5};
    std::stop_source stop;
    const std::size_t alone = tried.own[0].size() + tried.own[1].size();
    source.onAsk = [&] {
        if (static_cast<std::size_t>(source.asked) > alone)
            stop.request_stop();
    };
    const auto found =
        take(searchUnionStages(tried.joined.graph, tried.own, source, {.interrupt = Interrupt(stop.get_token())}));
    QVERIFY(!found.isProved && !found.isFrontProved);
    QCOMPARE(found.best.stages.size(), alone); // one after another
    QVERIFY(verifyStages(tried.joined.graph, found.best.stages).has_value());
}

void TestUnionStages::search_bounds_saveQuestions()
{
    const Graph chain = parallelChains(1, 12);
    const GraphUnion joined = unionOf(std::array{NamedGraph{"x", &chain}, NamedGraph{"y", &chain}});
    OwnStages own;
    for (std::size_t model = 0; model < kUnionModels; ++model) {
        for (std::size_t i = 0; i < chain.size(); ++i)
            own[model].push_back(stageAlone(joined.parts[model].idOf(OperatorId::fromIndex(i))));
    }
    SharedDevice source(joined.graph);
    source.boundary = {1, 0.5};
    const auto all = take(searchUnionStages(joined.graph, own, source, {}));
    const auto fewer = take(searchUnionStages(joined.graph, own, source, {.assumesPartsBound = true}));
    QVERIFY(std::abs(all.best.latencyUs - fewer.best.latencyUs) < 1e-9);
    QCOMPARE(all.possible, fewer.possible);
    QVERIFY2(fewer.asked < all.asked, qPrintable(QString("%1 of %2").arg(fewer.asked).arg(all.asked)));
}

void TestUnionStages::streamsBeside_randomGraphs_areLegal()
{
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const Case tried(seed);
        std::array<StreamsOfPart, kUnionModels> own;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            SharedDevice device(tried.graphs[model]);
            const auto found = take(
                searchSchedule(tried.graphs[model], consecutiveBlocks(tried.graphs[model], 1), device, {}, {}, {}));
            own[model] = {relaxedStreams(tried.graphs[model], found.schedule.stages),
                          10.0 * static_cast<double>(model + 1)};
        }
        for (const LaunchTurns turns :
             {LaunchTurns::Alternating, LaunchTurns::AsAlone, LaunchTurns::FirstBefore, LaunchTurns::SecondBefore}) {
            const Streams streams = streamsBeside(tried.joined.graph, tried.joined.parts, own, turns);
            QVERIFY(verifyStreams(tried.joined.graph, streams).has_value());
            QCOMPARE(streams.count, own[0].streams.count + own[1].streams.count);
            const bool isFirstOfFirst = tried.joined.parts[0].contains(streams.launches.front().operators.front());
            if (turns != LaunchTurns::AsAlone) // by the latency of the first launches
                QCOMPARE(isFirstOfFirst, turns != LaunchTurns::SecondBefore);
            QCOMPARE(streams.eventCount(), own[0].streams.eventCount() + own[1].streams.eventCount());
        }
    }
}

void TestUnionStages::streamsInSuccession_randomGraphs_endOneBeforeTheOther()
{
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const Case tried(seed);
        std::array<StreamsOfPart, kUnionModels> own;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            SharedDevice device(tried.graphs[model]);
            SearchOptions options;
            options.strategies = StrategySet::Parallel;
            const auto found = take(searchSchedule(tried.graphs[model], consecutiveBlocks(tried.graphs[model], 1),
                                                   device, options, {}, {}));
            own[model] = {relaxedStreams(tried.graphs[model], found.schedule.stages), 10};
        }
        for (const std::size_t first : {0U, 1U}) {
            const Streams streams = streamsInSuccession(tried.joined.parts, own, first);
            QVERIFY(verifyStreams(tried.joined.graph, streams).has_value());
            const LaunchOrder order(streams);
            for (std::size_t a = 0; a < streams.launches.size(); ++a) {
                for (std::size_t b = 0; b < streams.launches.size(); ++b) {
                    const auto isOfFirst = [&](std::size_t launch) {
                        return tried.joined.parts[first].contains(streams.launches[launch].operators.front());
                    };
                    if (isOfFirst(a) && !isOfFirst(b))
                        QVERIFY(order.isBefore(a, b));
                }
            }
        }
    }
}

STAGECRAFT_SUITE(TestUnionStages)

} // namespace tst_union_stages
#include "tst_union_stages.moc"
