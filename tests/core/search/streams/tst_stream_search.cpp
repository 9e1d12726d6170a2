// Stream schedules from published rules, and the search for them.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/merge.h"
#include "schedule/streams/verify_streams.h"
#include "search/stages/baselines.h"
#include "search/streams/allocated.h"
#include "search/streams/list_scheduling.h"
#include "search/streams/nimble.h"
#include "search/streams/opara.h"
#include "search/streams/relaxed.h"
#include "search/streams/stream_search.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <map>
#include <numeric>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stream_search {
namespace {

constexpr std::array kNetworks{"sample",       "squeezenet",    "googlenet", "inception_v3", "resnet50",
                               "mobilenet_v2", "shufflenet_v2", "randwire",  "nasnet"};

std::vector<double> latenciesOf(const Graph &graph)
{
    std::vector<double> latencies;
    for (std::size_t i = 0; i < graph.size(); ++i)
        latencies.push_back(1 + static_cast<double>(i * 7 % 11));
    return latencies;
}

std::vector<OparaDemand> demandsOf(const Graph &graph)
{
    std::vector<OparaDemand> demands;
    for (const Operator &op : graph.operators())
        demands.push_back({isMemoryBoundFor(op), static_cast<std::int64_t>(demands.size() * 5 % 7)});
    return demands;
}

// The largest set of operators none of which comes after another.
std::size_t widthByTrying(const Graph &graph)
{
    std::vector<std::uint32_t> after(graph.size(), 0); // a bit for each
    for (std::size_t i = graph.size(); i-- > 0;) {
        for (const OperatorId next : graph.successors(OperatorId::fromIndex(i)))
            after[i] |= after[next.index()] | (1U << next.index());
    }
    std::size_t width = 0;
    for (std::uint32_t set = 0; set < 1U << graph.size(); ++set) {
        bool isAntichain = true;
        for (std::size_t i = 0; i < graph.size(); ++i)
            isAntichain = isAntichain && !((set >> i & 1U) && (after[i] & set));
        if (isAntichain)
            width = std::max<std::size_t>(width, static_cast<std::size_t>(std::popcount(set)));
    }
    return width;
}

StreamLatency latencyOn(DeviceSession &session)
{
    return [&session](const Streams &streams) -> Result<double> {
        TRY_AS(const auto whole, session.measureWhole(Schedule{.streams = streams}, {}));
        return whole.timing.latencyUs;
    };
}

// Every way to put operators into items that read the same, every order of the items, every stream for each: those that
// are legal.
double leastByBruteForce(const Graph &graph, const StreamLatency &latency)
{
    const std::size_t size = graph.size();
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> itemOf(size, 0);
    const auto tryOrders = [&](std::size_t items) {
        std::vector<std::size_t> order(items);
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            std::vector<std::uint32_t> streamOf(items, 0);
            for (;;) {
                std::vector<StreamLaunch> launches;
                for (const std::size_t item : order) {
                    StreamLaunch &launch = launches.emplace_back(StreamLaunch{{}, streamOf[item]});
                    for (std::size_t i = 0; i < size; ++i) {
                        if (itemOf[i] == item)
                            launch.operators.push_back(OperatorId::fromIndex(i));
                    }
                }
                const Streams streams = allocated(graph, std::move(launches));
                const bool arePublished = std::ranges::all_of(
                    streams.launches, [&](const StreamLaunch &launch) { return readTheSame(graph, launch.operators); });
                if (arePublished && verifyStreams(graph, streams)) {
                    if (const auto us = latency(streams))
                        least = std::min(least, *us);
                }
                std::size_t digit = 0;
                while (digit < items && ++streamOf[digit] > digit) // a stream more for each: names do not matter
                    streamOf[digit++] = 0;
                if (digit == items)
                    break;
            }
        } while (std::ranges::next_permutation(order).found);
    };
    for (;;) {
        std::size_t items = 0;
        bool isCanonical = true;
        for (const std::size_t item : itemOf) {
            isCanonical = isCanonical && item <= items;
            items = std::max(items, item + 1);
        }
        if (isCanonical)
            tryOrders(items);
        std::size_t digit = size;
        while (digit > 0 && ++itemOf[digit - 1] == size)
            itemOf[--digit] = 0;
        if (digit == 0)
            return least;
    }
}

} // namespace

class TestStreamSearch : public QObject {
    Q_OBJECT

private slots:
    void rules_everyNetwork_areLegal();
    void googLeNet_hasThePublishedStreams();
    void nimble_randomGraphs_areAsWideAsTheGraph();
    void opara_order_alternates();
    void list_oneStream_hasNoEvents();
    void roundRobin_longestPath_isOnOneStream();
    void relaxed_stages_keepGroupsAndMerges();
    void search_fewOperators_isBruteForce();
    void search_blockBetweenJoins_isBruteForce();
    void search_network_isNotSlowerAndRepeats();
    void search_pinnedLaunches_stayAsTheyAreToEachOther();
    void search_stopped_keepsTheBest();
    void search_failing_saysWhy();
};

void TestStreamSearch::rules_everyNetwork_areLegal()
{
    for (const char *name : kNetworks) {
        const SourceGraph source = *builtInNetwork(name);
        const Graph &graph = source.graph;
        const auto latencies = latenciesOf(graph);
        std::map<std::string, Streams> made{
            {"nimble", nimbleStreams(graph)},
            {"opara", oparaStreams(graph, demandsOf(graph))},
            {"list", listStreams(graph, latencies, longestPathsUs(graph, latencies), 4)},
            {"round-robin", roundRobinStreams(graph, latencies, 4)},
            {"relaxed", relaxedStreams(graph, greedySchedule(graph, source.blocks).stages)},
            {"one by one", relaxedStreams(graph, sequentialSchedule(graph, source.blocks).stages)}};
        for (const auto &[rule, streams] : made) {
            const auto verified = verifyStreams(graph, source.blocks, streams);
            QVERIFY2(verified,
                     verified ? "" : qPrintable(QString::fromStdString(rule + ": " + verified.error().message)));
        }
        QVERIFY(made["list"].count <= 4 && made["round-robin"].count <= 4);
        QCOMPARE(made["one by one"].count, 1U);
    }
}

// FIGURES.md.
void TestStreamSearch::googLeNet_hasThePublishedStreams()
{
    const Graph graph = builtInNetwork("googlenet")->graph;
    QCOMPARE(oparaStreams(graph, demandsOf(graph)).count, 28U);
    QCOMPARE(nimbleStreams(graph).count, 4U);
}

void TestStreamSearch::nimble_randomGraphs_areAsWideAsTheGraph()
{
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Graph graph = randomGraph(seed, {.operators = 2 + static_cast<int>(seed % 11), .density = 0.25});
        QCOMPARE(std::size_t{nimbleStreams(graph).count}, widthByTrying(graph));
    }
}

void TestStreamSearch::opara_order_alternates()
{
    GraphBuilder builder("four");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    for (const char *name : {"a", "b"})
        static_cast<void>(take(builder.add(conv(name, {{x}}, 8))));
    for (const char *name : {"c", "d"})
        static_cast<void>(take(builder.add(join(name, {{x}}))));
    const Graph graph = take(builder.build());
    const std::vector<OparaDemand> demands{{false, 9}, {false, 3}, {true, 0}, {true, 0}};
    std::string order;
    for (const StreamLaunch &launch : oparaStreams(graph, demands).launches)
        order += graph.op(launch.operators.front()).name;
    QCOMPARE(order, std::string("bcad")); // computing first, the one with less shared memory before the other
}

void TestStreamSearch::list_oneStream_hasNoEvents()
{
    const Graph graph = builtInNetwork("inception_v3")->graph;
    const auto latencies = latenciesOf(graph);
    const Streams one = listStreams(graph, latencies, longestPathsUs(graph, latencies), 1);
    QVERIFY(one.count == 1 && one.eventCount() == 0 && one.launches.size() == graph.size());
}

void TestStreamSearch::roundRobin_longestPath_isOnOneStream()
{
    const Graph graph = parallelChains(3, 2);
    std::vector<double> latencies(graph.size(), 1);
    latencies[2] = 10; // the first of the second chain
    const Streams streams = roundRobinStreams(graph, latencies, 2);
    std::vector<std::uint32_t> streamOf(graph.size());
    for (const StreamLaunch &launch : streams.launches)
        streamOf[launch.operators.front().index()] = launch.stream;
    QVERIFY(streamOf[2] == streamOf[3] && streamOf[3] == streamOf[6]);
    for (const std::size_t other : {0, 1, 4, 5})
        QVERIFY(streamOf[other] != streamOf[2]);
}

void TestStreamSearch::relaxed_stages_keepGroupsAndMerges()
{
    const Graph graph = parallelChains(2, 2); // c0_0, c0_1, c1_0, c1_1, join
    const OperatorId a{0}, b{1}, c{2}, d{3}, end{4};
    const std::vector<Stage> stages{{0, Strategy::Concurrent, {{a}, {c}}},
                                    {0, Strategy::Concurrent, {{b}, {d}}},
                                    {0, Strategy::Concurrent, {{end}}}};
    const Streams streams = relaxedStreams(graph, stages);
    const Streams expected{2, {{{a}, 0}, {{c}, 1}, {{b}, 0}, {{d}, 1}, {{end}, 0, {3}}}};
    QVERIFY(streams == expected);
    const std::vector<Stage> merging{{0, Strategy::Merge, {{a}, {c}}},
                                     {0, Strategy::Concurrent, {{b}}},
                                     {0, Strategy::Concurrent, {{d}}},
                                     {0, Strategy::Concurrent, {{end}}}};
    const Streams mergedStreams = relaxedStreams(graph, merging);
    QCOMPARE(mergedStreams.launches.size(), 4U);
    QVERIFY(mergedStreams.launches.front().operators == (std::vector{a, c}));
}

// Two chains of two operators, with one operator that they all read from before them and a join after them.
void TestStreamSearch::search_blockBetweenJoins_isBruteForce()
{
    GraphBuilder builder("between joins");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 14, 14}}));
    const TensorId first = take(builder.add(conv("first", {{x}}, 8)));
    InputExpression ends;
    for (const char *chain : {"a", "b"}) {
        const TensorId begun = take(builder.add(conv(std::string(chain) + "1", {{first}}, 8, 3)));
        ends.push_back({take(builder.add(conv(std::string(chain) + "2", {{begun}}, 16)))});
    }
    static_cast<void>(take(builder.add(join("join", ends))));
    const auto graph = std::make_shared<const Graph>(take(builder.build()));
    for (const char *device : {"v100", "a100"}) {
        const auto session = take(take(openSimulatedDevice(device))->open(graph));
        const StreamLatency latency = latencyOn(*session);
        const Streams one = allocated(*graph, fileOrder(*graph), std::vector<std::uint32_t>(graph->size(), 0));
        const std::vector<TimedStreams> starts{{one, *latency(one)}};
        const Blocks blocks = consecutiveBlocks(*graph, 1);
        StreamSearchOptions options{.maxSeconds = 600, .exactUpTo = 4};
        const auto found = take(searchStreams(*graph, blocks, starts, latency, options, {}));
        QVERIFY(found.end == StreamSearchEnd::Proved);
        QCOMPARE(found.latencyUs, leastByBruteForce(*graph, latency));
        QVERIFY(found.latencyUs < starts.front().latencyUs);
        options.exactUpTo = 3;
        options.maxSeconds = 2;
        QVERIFY(take(searchStreams(*graph, blocks, starts, latency, options, {})).end != StreamSearchEnd::Proved);
    }
}

void TestStreamSearch::search_fewOperators_isBruteForce()
{
    const int graphs = std::max(50, qEnvironmentVariableIntValue("STAGECRAFT_BRUTE_FORCE"));
    const int most = graphs > 50 ? 6 : 4;
    int merges = 0;
    for (int i = 0; i < graphs; ++i) {
        const auto graph = std::make_shared<const Graph>(
            randomGraph(static_cast<std::uint32_t>(i),
                        {.operators = 2 + i % (most - 1), .sharedInput = 0.7, .products = i % 2 * 0.5}));
        const auto session = *(*openSimulatedDevice(i % 2 == 0 ? "v100" : "a100"))->open(graph);
        const StreamLatency latency = latencyOn(*session);
        const Streams one = allocated(*graph, fileOrder(*graph), std::vector<std::uint32_t>(graph->size(), 0));
        const std::vector<TimedStreams> starts{{one, *latency(one)}};
        const auto found =
            searchStreams(*graph, consecutiveBlocks(*graph, 1), starts, latency, {.maxSeconds = 600}, {});
        QVERIFY(found && found->end == StreamSearchEnd::Proved);
        QVERIFY(verifyStreams(*graph, found->best));
        QCOMPARE(*latency(found->best), found->latencyUs);
        QCOMPARE(found->latencyUs, leastByBruteForce(*graph, latency));
        merges += std::ranges::any_of(found->best.launches, &StreamLaunch::isMerged);
    }
    QVERIFY(merges > 0 && merges < graphs);
}

void TestStreamSearch::search_network_isNotSlowerAndRepeats()
{
    const SourceGraph source = *builtInNetwork("squeezenet");
    const auto graph = std::make_shared<const Graph>(source.graph);
    const auto session = *(*openSimulatedDevice("v100"))->open(graph);
    const StreamLatency latency = latencyOn(*session);
    std::vector<TimedStreams> starts;
    for (const Streams &streams :
         {nimbleStreams(*graph), relaxedStreams(*graph, greedySchedule(*graph, source.blocks).stages)})
        starts.push_back({streams, *latency(streams)});
    const double best = std::min(starts[0].latencyUs, starts[1].latencyUs);
    std::int64_t seen = 0;
    StreamSearchOptions options{.maxSeconds = 600};
    options.onProgress = [&](std::int64_t timed, double bestUs) {
        QVERIFY(timed > seen && bestUs <= best);
        seen = timed;
    };
    const auto first = searchStreams(*graph, source.blocks, starts, latency, options, {});
    QVERIFY(seen > 0);
    seen = 0;
    const auto second = searchStreams(*graph, source.blocks, starts, latency, options, {});
    QVERIFY(first && second);
    QVERIFY(first->latencyUs < best);
    QVERIFY(first->best == second->best && first->timed == second->timed);
    QVERIFY(first->end == StreamSearchEnd::Converged);
    QVERIFY(verifyStreams(*graph, source.blocks, first->best));
}

// Which of them share a stream, and their order; the rest is searched.
void TestStreamSearch::search_pinnedLaunches_stayAsTheyAreToEachOther()
{
    const SourceGraph source = take(builtInNetwork("squeezenet"));
    const Graph &graph = source.graph;
    const auto device = take(openSimulatedDevice("v100"));
    const auto session = take(device->open(std::make_shared<const Graph>(graph)));
    Streams start = nimbleStreams(graph);
    const auto idOf = [&](const char *name) { return *graph.find(name); };
    const std::vector<std::vector<OperatorId>> pinned{
        {idOf("fire2/expand1x1")}, {idOf("fire2/bypass")}, {idOf("fire4/expand3x3")}, {idOf("fire6/expand1x1")}};
    const auto relation = [&](const Streams &streams) {
        std::vector<std::pair<std::size_t, std::uint32_t>> places; // which of them, its stream, in launch order
        std::map<std::uint32_t, std::uint32_t> numbers;
        for (const StreamLaunch &launch : streams.launches) {
            const auto which = std::ranges::find(pinned, launch.operators);
            if (which != pinned.end()) {
                const auto number = numbers.try_emplace(launch.stream, numbers.size()).first->second;
                places.emplace_back(which - pinned.begin(), number);
            }
        }
        return places;
    };
    const StreamLatency latency = latencyOn(*session);
    const std::vector<TimedStreams> starts{{start, take(latency(start))}};
    const StreamSearchResult kept =
        take(searchStreams(graph, source.blocks, starts, latency, {.maxSeconds = 60, .pinned = pinned}, {}));
    QCOMPARE(relation(kept.best).size(), pinned.size());
    QVERIFY(relation(kept.best) == relation(start));
    QVERIFY(kept.latencyUs < starts.front().latencyUs);
    QVERIFY(verifyStreams(graph, source.blocks, kept.best));
}

void TestStreamSearch::search_stopped_keepsTheBest()
{
    const SourceGraph source = *builtInNetwork("squeezenet");
    const Streams start = nimbleStreams(source.graph);
    std::stop_source stop;
    const StreamLatency latency = [&](const Streams &streams) -> Result<double> {
        stop.request_stop();
        return streams.count > start.count ? 1.0 : 2.0;
    };
    const auto found = searchStreams(source.graph, source.blocks, std::vector<TimedStreams>{{start, 100}}, latency, {},
                                     stop.get_token());
    QVERIFY(found && found->end == StreamSearchEnd::Stopped);
    QVERIFY(found->timed == 1 && found->latencyUs <= 2);
    const auto late = searchStreams(source.graph, source.blocks, std::vector<TimedStreams>{{start, 100}}, latency,
                                    {.maxSeconds = 0}, {});
    QVERIFY(late && late->end == StreamSearchEnd::Time && late->best == start);
}

void TestStreamSearch::search_failing_saysWhy()
{
    const SourceGraph source = *builtInNetwork("squeezenet");
    const std::vector<TimedStreams> starts{{nimbleStreams(source.graph), 100}};
    const auto refused = searchStreams(
        source.graph, source.blocks, starts,
        [](const Streams &) -> Result<double> { return fail(ErrorCode::InvalidInput, "broken"); }, {}, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().message, std::string("broken"));
    const auto kept = searchStreams(
        source.graph, source.blocks, starts,
        [](const Streams &) -> Result<double> { return fail(ErrorCode::DeviceFailed, "no kernel"); }, {}, {});
    QVERIFY(kept && kept->best == starts.front().streams); // what the device cannot run is left out
}

STAGECRAFT_SUITE(TestStreamSearch)

} // namespace tst_stream_search
#include "tst_stream_search.moc"
