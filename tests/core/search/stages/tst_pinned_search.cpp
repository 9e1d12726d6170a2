// Searches that have to keep stages, compared with brute force over all schedules that have them: on random graphs with
// random legal pins, and for every way in which a search can end.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/edit/edit.h"
#include "schedule/verify.h"
#include "search/stages/pins.h"
#include "search/stages/search.h"
#include "search/stages/windows.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/search_spaces.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pinned_search {

namespace {

struct Case {
    Graph graph;
    Blocks blocks;
    std::vector<Stage> pins;
};

// Stages of a schedule that was made by random joins and merges.
std::vector<Stage> randomPins(const Graph &graph, const Blocks &blocks, std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::vector<Stage> stages = sequentialSchedule(graph, blocks).stages;
    for (int step = 0; step < 25; ++step) {
        const std::size_t stage = below(stages.size());
        const Edit edit = below(3) == 0 ? Edit(SetStrategy{{stage}, Strategy::Merge})
                                        : Edit(JoinStages{{stage, below(stages.size())}, below(2) == 0});
        auto edited = applyEdit(graph, blocks, stages, edit);
        if (edited && below(4) != 0)
            stages = std::move(edited->stages);
    }
    std::vector<Stage> pins;
    const std::size_t count = 1 + below(2);
    std::ranges::sample(stages, std::back_inserter(pins), static_cast<std::ptrdiff_t>(count), random);
    return pins;
}

Case makePinned(std::uint32_t seed)
{
    RandomGraphOptions options;
    options.operators = 3 + static_cast<int>(seed % 5);
    options.density = 0.15 + 0.1 * (seed % 6);
    options.sharedInput = 0.2 + 0.2 * (seed % 4);
    options.kinds = 1 + static_cast<int>(seed % 3);
    Case made{randomGraph(seed, options), {}, {}};
    made.blocks = consecutiveBlocks(made.graph, 1 + seed % 3);
    made.pins = randomPins(made.graph, made.blocks, seed);
    return made;
}

constexpr std::uint32_t kPinnedSeeds = 40; // per row; 30 rows

void keepsAll(const TimedSchedule &schedule, const std::vector<Stage> &pins)
{
    for (const Stage &pin : pins)
        QVERIFY(std::ranges::find(schedule.stages, pin) != schedule.stages.end());
}

QString everything(const Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    return QString::fromStdString(text + error.message);
}

Stage stageOfNames(const Graph &graph, std::vector<std::vector<const char *>> groups)
{
    Stage stage;
    for (const auto &group : groups) {
        auto &operators = stage.groups.emplace_back();
        for (const char *name : group)
            operators.push_back(*graph.find(name));
    }
    return stage;
}

} // namespace

class PinnedSearchTest : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_monotoneSource_equalsBruteForce_data() { addSpaces(); }
    void searchSchedule_monotoneSource_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        for (std::uint32_t seed = 0; seed < kPinnedSeeds; ++seed) {
            const Case made = makePinned(seed);
            options.pinned = made.pins;
            SharedDevice source(made.graph);
            source.boundary = boundary;
            source.sharing = 0.1 * (seed % 9);
            source.mergeGain = 0.5 + 0.1 * (seed % 5);
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            QVERIFY(std::isfinite(expected.bestUs));
            for (const bool exhaustive : {false, true}) {
                SharedDevice fresh(made.graph);
                fresh.boundary = boundary;
                fresh.sharing = source.sharing;
                fresh.mergeGain = source.mergeGain;
                options.exhaustive = exhaustive;
                const auto result = searchSchedule(made.graph, made.blocks, fresh, options);
                QVERIFY2(result, result ? "" : qPrintable(everything(result.error())));
                QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
                QVERIFY(result->schedule.search.termination == Termination::Optimal);
                QCOMPARE(result->schedule.search.gap, 0.0);
                QCOMPARE(result->schedule.search.pinnedStages, static_cast<std::int64_t>(made.pins.size()));
                QCOMPARE(result->schedule.search.stageMeasurements, static_cast<std::int64_t>(fresh.distinct.size()));
                keepsAll(result->schedule, made.pins);
            }
            options.exhaustive = false;
        }
    }

    void searchSchedule_randomLatencies_equalsBruteForce_data() { addSpaces(); }
    void searchSchedule_randomLatencies_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        for (std::uint32_t seed = 0; seed < kPinnedSeeds; ++seed) {
            const Case made = makePinned(seed + 1000);
            options.pinned = made.pins;
            for (const bool isTable : {false, true}) {
                options.exhaustive = !isTable;
                RandomSource source(made.graph, seed, isTable);
                source.boundary = boundary;
                const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
                const auto result = searchSchedule(made.graph, made.blocks, source, options);
                QVERIFY2(result, result ? "" : qPrintable(everything(result.error())));
                QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
                keepsAll(result->schedule, made.pins);
            }
        }
    }

    // The bound of a block that is too large to search whole also holds with pins.
    void blockBoundUs_pinned_isAtMostTheOptimum_data() { addSpaces(); }
    void blockBoundUs_pinned_isAtMostTheOptimum()
    {
        QFETCH(SearchOptions, options);
        for (std::uint32_t seed = 0; seed < kPinnedSeeds; ++seed) {
            Case made = makePinned(seed + 2000);
            made.blocks = consecutiveBlocks(made.graph, 1);
            made.pins = randomPins(made.graph, made.blocks, seed);
            options.pinned = made.pins;
            SharedDevice source(made.graph);
            source.sharing = 0.1 * (seed % 9);
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            std::vector<double> aloneUs;
            for (std::size_t i = 0; i < made.graph.size(); ++i)
                aloneUs.push_back(source.stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}}, {})
                                      ->timing.latencyUs);
            double pinnedUs = 0;
            for (const Stage &pin : made.pins) {
                pinnedUs += source.stageLatency(pin, {})->timing.latencyUs;
                for (const auto &group : pin.groups) {
                    for (const OperatorId id : group)
                        aloneUs[id.index()] = 0;
                }
            }
            const BlockView view = makeBlockView(made.graph, made.blocks[0], 0, made.pins);
            const double boundUs = blockBoundUs(view, options, aloneUs, pinnedUs, source);
            QVERIFY2(boundUs <= expected.bestUs + 1e-9, qPrintable(QString("%1 %2").arg(boundUs).arg(expected.bestUs)));
            QVERIFY(boundUs >= pinnedUs);
        }
    }

    void searchSchedule_pinBeyondTheSpace_isKept()
    {
        const Graph graph = parallelChains(4, 4);
        const Blocks blocks = consecutiveBlocks(graph, 1);
        // Three concurrent chains, each as a whole: r and s of one, no single source, in a search that only merges.
        const Stage pin = stageOfNames(
            graph,
            {{"c0_0", "c0_1", "c0_2", "c0_3"}, {"c1_0", "c1_1", "c1_2", "c1_3"}, {"c2_0", "c2_1", "c2_2", "c2_3"}});
        for (const StrategySet strategies : {StrategySet::Parallel, StrategySet::Merge, StrategySet::Both}) {
            SharedDevice source(graph);
            SearchOptions options;
            options.strategies = strategies;
            options.r = options.s = 1;
            options.pinned = {pin};
            const auto result = searchSchedule(graph, blocks, source, options);
            QVERIFY(result);
            QVERIFY(result->schedule.search.termination == Termination::Optimal);
            keepsAll(result->schedule, {normalized(pin)});
        }
    }

    void searchSchedule_everyStagePinned_isThatSchedule()
    {
        const Graph graph = parallelChains(3, 3);
        const Blocks blocks = consecutiveBlocks(graph, 2);
        SharedDevice source(graph);
        SearchOptions options;
        options.pinned = greedySchedule(graph, blocks).stages;
        const auto result = searchSchedule(graph, blocks, source, options);
        QVERIFY(result);
        QCOMPARE(result->schedule.stages, options.pinned);
        QCOMPARE(result->schedule.search.stageMeasurements, static_cast<std::int64_t>(source.distinct.size()));
        QVERIFY(result->schedule.search.termination == Termination::Optimal);
    }

    // Blocks that are too large to search whole are searched in windows.
    void searchSchedule_tooLargeBlock_keepsPins()
    {
        const Graph graph = parallelChains(20, 3);
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice source(graph);
        SearchOptions options;
        options.s.reset();
        options.maxMeasurements = 3000;
        options.epsilon = 0.02;
        options.pinned = {stageOfNames(graph, {{"c3_0"}, {"c7_0", "c7_1", "c7_2"}, {"c11_0", "c11_1"}}),
                          stageOfNames(graph, {{"c0_0", "c0_1"}}), stageOfNames(graph, {{"c5_2"}, {"c6_2"}})};
        const auto result = searchSchedule(graph, blocks, source, options);
        QVERIFY2(result, result ? "" : qPrintable(everything(result.error())));
        keepsAll(result->schedule, options.pinned);
        QVERIFY(verifySchedule(graph, blocks, result->schedule));
        QVERIFY(result->schedule.search.gap > 0 && std::isfinite(result->schedule.search.gap));
        auto start = keepPins(graph, blocks, sequentialSchedule(graph, blocks), options);
        QVERIFY(fillLatencies(start, source));
        QVERIFY(*result->schedule.latencyUs() < 0.9 * *start.latencyUs());
    }

    // However early the search ends, the result has the pinned stages.
    void searchSchedule_endedEarly_keepsPins_data()
    {
        QTest::addColumn<SearchOptions>("options");
        SearchOptions options;
        options.maxMeasurements = 1;
        QTest::newRow("one measurement") << options;
        options.maxMeasurements = 60;
        QTest::newRow("some measurements") << options;
        options.maxMeasurements = {};
        options.maxSeconds = 1e-6;
        QTest::newRow("no time") << options;
    }
    void searchSchedule_endedEarly_keepsPins()
    {
        QFETCH(SearchOptions, options);
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            RandomGraphOptions wide;
            wide.operators = 24;
            wide.density = 0.08;
            const Graph graph = randomGraph(seed, wide);
            const Blocks blocks = consecutiveBlocks(graph, 2);
            options.pinned = randomPins(graph, blocks, seed);
            SharedDevice source(graph);
            const auto result = searchSchedule(graph, blocks, source, options);
            QVERIFY2(result, result ? "" : qPrintable(everything(result.error())));
            keepsAll(result->schedule, options.pinned);
            if (options.maxSeconds) {
                QVERIFY(result->schedule.search.gap > 0 && std::isfinite(result->schedule.search.gap));
            }
        }
    }

    void searchSchedule_contradictoryPins_areRefused_data()
    {
        using Groups = std::vector<std::vector<const char *>>;
        QTest::addColumn<std::vector<Stage>>("pins");
        QTest::addColumn<QString>("reason");
        const Graph graph = parallelChains(2, 3);
        const auto row = [&](const char *name, std::vector<Groups> pins, const char *reason) {
            std::vector<Stage> stages;
            for (const Groups &groups : pins)
                stages.push_back(stageOfNames(graph, groups));
            QTest::newRow(name) << stages << QString(reason);
        };
        row("around another", {{{"c0_0"}, {"c0_2"}}},
            "operator c0_2: cannot be kept in its stage: it reads c0_1, which has to wait for that stage");
        row("each before the other", {{{"c0_0"}, {"c1_1"}}, {{"c1_0"}, {"c0_1"}}},
            "operator c1_1: cannot be kept in its stage: it reads c1_0, which has to wait for that stage");
        row("twice", {{{"c0_0"}}, {{"c0_0", "c0_1"}}}, "operator c0_0: is to be kept in two stages");
        row("groups", {{{"c0_0", "c1_0"}}},
            "stage 1: operator c0_0: shares a group with operators it is not connected to");
        row("nothing", {{}}, "a stage to keep has no operators or no block");
    }
    void searchSchedule_contradictoryPins_areRefused()
    {
        QFETCH(std::vector<Stage>, pins);
        QFETCH(QString, reason);
        const Graph graph = parallelChains(2, 3);
        SharedDevice source(graph);
        SearchOptions options;
        options.pinned = pins;
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
        QVERIFY(!result);
        QCOMPARE(everything(result.error()), reason);
        QCOMPARE(source.asked, std::int64_t{0});
    }

    void searchSchedule_pinThatTheDeviceCannotHave_isAnError()
    {
        const Graph graph = parallelChains(2, 3);
        SharedDevice source(graph);
        source.brokenKernel = 3;
        SearchOptions options;
        options.pinned = {stageOfNames(graph, {{"c0_0", "c0_1"}})};
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::DeviceFailed);
        QCOMPARE(result.error().message, "broken");
    }

    // Without pins the search does the same as before there were pins; these numbers are from then.
    void searchSchedule_noPins_isAsBefore_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<qlonglong>("states");
        QTest::addColumn<qlonglong>("transitions");
        QTest::addColumn<qlonglong>("measurements");
        QTest::addColumn<double>("sumUs");
        QTest::newRow("squeezenet") << "squeezenet" << 78LL << 296LL << 91LL << 723.8199999999999;
        QTest::newRow("inception_v3") << "inception_v3" << 1206LL << 25564LL << 201LL << 3943.405;
    }
    void searchSchedule_noPins_isAsBefore()
    {
        QFETCH(QString, network);
        const Found found = searchOn(network.toStdString(), {});
        QFETCH(qlonglong, states);
        QFETCH(qlonglong, transitions);
        QFETCH(qlonglong, measurements);
        QFETCH(double, sumUs);
        const SearchRecord &record = found.result.schedule.search;
        QCOMPARE(record.states, states);
        QCOMPARE(record.transitions, transitions);
        QCOMPARE(record.stageMeasurements, measurements);
        QCOMPARE(record.sumUs, sumUs);
        QCOMPARE(record.pinnedStages, std::int64_t{0});
    }

    // The cost of pins: zero if the stages are those of the optimum, and never negative.
    void freeOptimum_ofPublishedNetwork_saysWhatPinsCost()
    {
        const Found free = searchOn("inception_v3", {});
        const auto &best = free.result.schedule.stages;
        const Found same = searchOn("inception_v3", {best[2], best[7], best[8]});
        QCOMPARE(freeOptimumUs(same.result.schedule, free.result.schedule), free.result.schedule.search.sumUs);
        QCOMPARE(same.result.schedule.search.sumUs, free.result.schedule.search.sumUs);
        QVERIFY(same.result.schedule.search.transitions < free.result.schedule.search.transitions);

        const auto apart = take(applyEdit(free.graph, free.blocks, best, splitLargest(best)));
        std::vector<Stage> pins;
        for (const std::size_t stage : apart.changed)
            pins.push_back(apart.stages[stage]);
        const Found other = searchOn("inception_v3", pins);
        QVERIFY(freeOptimumUs(other.result.schedule, free.result.schedule));
        QVERIFY(other.result.schedule.search.sumUs > free.result.schedule.search.sumUs);
        QVERIFY(other.result.schedule.search.termination == Termination::Optimal);
        keepsAll(other.result.schedule, pins);

        TimedSchedule elsewhere = free.result.schedule;
        elsewhere.context.device = "sim:k80";
        QVERIFY(!freeOptimumUs(other.result.schedule, elsewhere));
        QVERIFY(!freeOptimumUs(other.result.schedule, same.result.schedule)); // it keeps stages itself
        TimedSchedule unproved = free.result.schedule;
        unproved.search.termination = Termination::Budget;
        QVERIFY(!freeOptimumUs(other.result.schedule, unproved));
        TimedSchedule narrower = free.result.schedule;
        narrower.search.r = 1;
        QVERIFY(!freeOptimumUs(other.result.schedule, narrower));
    }

private:
    struct Found {
        Graph graph;
        Blocks blocks;
        FoundSchedule result;
    };

    static Found searchOn(const std::string &network, std::vector<Stage> pins)
    {
        SourceGraph source = take(builtInNetwork(network));
        auto session = take(take(openSimulatedDevice("v100"))->open(std::make_shared<const Graph>(source.graph)));
        SearchOptions options;
        options.pinned = std::move(pins);
        FoundSchedule result = take(searchSchedule(source.graph, source.blocks, *session, options));
        return {std::move(source.graph), std::move(source.blocks), std::move(result)};
    }

    // Splits the largest stage: its first group becomes a stage.
    static Edit splitLargest(const std::vector<Stage> &stages)
    {
        const auto largest =
            std::ranges::max_element(stages, {}, [](const Stage &stage) { return stage.concurrentGroups(); });
        return SplitStage{static_cast<std::size_t>(largest - stages.begin()), largest->groups.front()};
    }
};

STAGECRAFT_SUITE(PinnedSearchTest)

} // namespace tst_pinned_search
#include "tst_pinned_search.moc"
