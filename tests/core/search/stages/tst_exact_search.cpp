// The search equals brute force over all schedules, on thousands of small random graphs, to the last digit.

#include "schedule/verify.h"
#include "search/stages/count.h"
#include "search/stages/search.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/search_spaces.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_exact_search {

namespace {

struct Case {
    Graph graph;
    Blocks blocks;
};

Case makeCase(std::uint32_t seed)
{
    RandomGraphOptions options;
    options.operators = 3 + static_cast<int>(seed % 5);
    options.density = 0.15 + 0.1 * (seed % 6);
    options.sharedInput = 0.2 + 0.2 * (seed % 4);
    options.kinds = 1 + static_cast<int>(seed % 3);
    options.products = seed % 2 == 0 ? 0.5 : 0;
    Case made{randomGraph(seed, options), {}};
    made.blocks = consecutiveBlocks(made.graph, 1 + seed % 3);
    return made;
}

constexpr std::uint32_t kSeeds = kSanitized ? 5 : 35; // per row; 30 rows

} // namespace

class ExactSearchTest : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_monotoneSource_equalsBruteForce_data() { addSpaces(); }
    void searchSchedule_monotoneSource_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            const Case made = makeCase(seed);
            SharedDevice source(made.graph);
            source.boundary = boundary;
            source.sharing = 0.1 * (seed % 9);
            source.mergeGain = 0.5 + 0.1 * (seed % 5);
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            for (const bool exhaustive : {false, true}) {
                SharedDevice fresh(made.graph);
                fresh.boundary = boundary;
                fresh.sharing = source.sharing;
                fresh.mergeGain = source.mergeGain;
                options.exhaustive = exhaustive;
                const auto result = searchSchedule(made.graph, made.blocks, fresh, options);
                QVERIFY2(result, result ? "" : result.error().message.c_str());
                QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
                QVERIFY(result->schedule.search.termination == Termination::Optimal);
                QCOMPARE(result->schedule.search.gap, 0.0);
                QCOMPARE(result->schedule.search.stageMeasurements, static_cast<std::int64_t>(fresh.distinct.size()));
            }
        }
    }

    void searchSchedule_tableOfRandomLatencies_equalsBruteForce_data() { addSpaces(); }
    void searchSchedule_tableOfRandomLatencies_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            const Case made = makeCase(seed + 1000);
            RandomSource source(made.graph, seed, true);
            source.boundary = boundary;
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            const auto result = searchSchedule(made.graph, made.blocks, source, options);
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
        }
    }

    void searchSchedule_exhaustiveRandomLatencies_equalsBruteForce_data() { addSpaces(); }
    void searchSchedule_exhaustiveRandomLatencies_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        options.exhaustive = true;
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            const Case made = makeCase(seed + 2000);
            RandomSource source(made.graph, seed);
            source.boundary = boundary;
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            const auto result = searchSchedule(made.graph, made.blocks, source, options);
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
        }
    }

    // The stated latency equals that of the schedule's stages, asked for again.
    void searchSchedule_result_isSumOfStages()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            const Case made = makeCase(seed);
            SharedDevice source(made.graph);
            source.boundary = {3.3, 0.7};
            auto result = searchSchedule(made.graph, made.blocks, source);
            QVERIFY(result);
            TimedSchedule again = result->schedule;
            QVERIFY(fillLatencies(again, source));
            QCOMPARE(*again.latencyUs(), *result->schedule.latencyUs());
            QCOMPARE(again.stageLatenciesUs(), result->schedule.stageLatenciesUs());
            QVERIFY(verifySchedule(made.graph, made.blocks, result->schedule));
        }
    }

    void countSpace_smallGraphs_equalsBruteForce_data() { addSpaces(); }
    void countSpace_smallGraphs_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            Case made = makeCase(seed + 3000);
            made.blocks = consecutiveBlocks(made.graph, 1);
            SharedDevice source(made.graph);
            const auto expected = BruteForce(made.graph, made.blocks, options).run(source);
            const auto count = countSpace(made.graph, made.blocks.front(), options);
            QVERIFY(count);
            QCOMPARE(count->schedules, static_cast<double>(expected.schedules));
        }
    }
};

STAGECRAFT_SUITE(ExactSearchTest)

} // namespace tst_exact_search
#include "support/sanitized.h"
#include "support/suite.h"
#include "tst_exact_search.moc"
