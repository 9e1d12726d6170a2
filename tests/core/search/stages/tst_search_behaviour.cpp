// Budgets, cancelling, refusals, unavailable stages, noise, blocks that are too large, and what a result states about
// itself.
// Past 500 lines: each case has a small device of its own beside it.

#include "schedule/verify.h"
#include "search/stages/count.h"
#include "search/stages/latency_queries.h"
#include "search/stages/search.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <utility>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_search_behaviour {

namespace {

Graph mediumGraph()
{
    RandomGraphOptions options;
    options.operators = 14;
    options.density = 0.12;
    return randomGraph(7, options);
}

// A search measures instead of computing for long. Where a test counts measurements, no time passes.
SearchOptions timeless()
{
    SearchOptions options;
    options.clock.read = [] { return SearchClock::Time{}; };
    return options;
}

} // namespace

class SearchBehaviourTest : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_badOptions_areWrongUse_data()
    {
        QTest::addColumn<int>("r");
        QTest::addColumn<int>("s");
        QTest::addColumn<double>("epsilon");
        QTest::newRow("r") << -1 << 8 << 0.0;
        QTest::newRow("s") << 3 << -1 << 0.0;
        QTest::newRow("r of 0") << 0 << 8 << 0.0;
        QTest::newRow("epsilon") << 3 << 8 << -0.1;
    }
    void searchSchedule_badOptions_areWrongUse()
    {
        const Graph graph = mediumGraph();
        SharedDevice source(graph);
        SearchOptions options;
        QFETCH(int, r);
        QFETCH(int, s);
        QFETCH(double, epsilon);
        options.r = r;
        options.s = s;
        options.epsilon = epsilon;
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::WrongUse);
    }

    void searchSchedule_lazy_asksForLessThanExhaustive()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 2);
        SharedDevice lazy(graph), all(graph);
        SearchOptions options;
        const auto found = searchSchedule(graph, blocks, lazy, options);
        options.exhaustive = true;
        const auto exhaustive = searchSchedule(graph, blocks, all, options);
        QVERIFY(found && exhaustive);
        QCOMPARE(*found->schedule.latencyUs(), *exhaustive->schedule.latencyUs());
        QVERIFY(lazy.asked < all.asked);
        QCOMPARE(static_cast<std::size_t>(lazy.asked), lazy.distinct.size());
        QVERIFY(exhaustive->schedule.search.termination == Termination::Optimal);
    }

    void searchSchedule_epsilon_isProvedWithinIt()
    {
        const Graph graph = mediumGraph();
        SharedDevice source(graph);
        SearchOptions options;
        options.epsilon = 0.1;
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
        QVERIFY(result);
        const SearchRecord &record = result->schedule.search;
        QVERIFY(record.gap <= 0.1);
        const Termination expected = record.gap == 0 ? Termination::Optimal : Termination::WithinEpsilon;
        QVERIFY(record.termination == expected);
    }

    void searchSchedule_maxMeasurements_endsWithGap()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice source(graph), free(graph);
        SearchOptions options;
        options.maxMeasurements = 25;
        const auto result = searchSchedule(graph, blocks, source, options);
        const auto best = searchSchedule(graph, blocks, free);
        QVERIFY(result && best);
        QCOMPARE(source.asked, std::int64_t{25});
        QVERIFY(result->schedule.search.termination == Termination::Budget);
        QVERIFY(verifySchedule(graph, blocks, result->schedule));
        // The stated gap is true.
        QVERIFY(*result->schedule.latencyUs() <=
                *best->schedule.latencyUs() * (1 + result->schedule.search.gap) * (1 + 1e-12));
    }

    void searchSchedule_maxSeconds_endsInTime()
    {
        const Graph graph = mediumGraph();
        SharedDevice source(graph);
        SearchOptions options;
        SearchClock::Time now{};
        options.clock.read = [&] { return now; };
        source.onAsk = [&] { now += std::chrono::milliseconds(2); };
        options.maxSeconds = 0.15;
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
        QVERIFY(result);
        QCOMPARE(source.asked, std::int64_t{75});
        QVERIFY(result->schedule.search.termination == Termination::Budget);
    }

    void searchSchedule_stopped_returnsBestSoFar()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice source(graph);
        std::stop_source stop;
        source.onAsk = [&] {
            if (source.asked == 40)
                stop.request_stop();
        };
        const auto result = searchSchedule(graph, blocks, source, {}, {}, stop.get_token());
        QVERIFY(result);
        QVERIFY(result->schedule.search.termination == Termination::Cancelled);
        QCOMPARE(source.asked, std::int64_t{40});
        QVERIFY(verifySchedule(graph, blocks, result->schedule));
        QCOMPARE(result->schedule.measured.stages.size(), result->schedule.stages.size());
    }

    void searchSchedule_stoppedAtOnce_isCancelled()
    {
        const Graph graph = mediumGraph();
        SharedDevice source(graph);
        std::stop_source stop;
        stop.request_stop();
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, {}, {}, stop.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    // Stopping takes effect while the space of a huge block is being enumerated.
    void searchSchedule_stoppedWhileEnumerating_endsSoon()
    {
        const Graph graph = parallelChains(20, 3);
        SharedDevice source(graph);
        std::stop_source stop;
        // It checks the clock repeatedly, and asks for nothing meanwhile.
        SearchOptions options;
        options.maxSeconds = 1e6;
        std::int64_t asked = 0;
        int looks = 0;
        int looksAfter = 0;
        options.clock.read = [&] {
            looks = std::exchange(asked, source.asked) == source.asked ? looks + 1 : 0;
            looksAfter += stop.stop_requested() ? 1 : 0;
            if (looks == 100)
                stop.request_stop();
            return SearchClock::Time{};
        };
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options, {}, stop.get_token());
        QVERIFY(stop.stop_requested());
        QVERIFY2(looksAfter < 100, qPrintable(QString::number(looksAfter)));
        QVERIFY(result);
        QVERIFY(result->schedule.search.termination == Termination::Cancelled);
    }

    void searchSchedule_tooLargeBlock_endsWithLegalSchedule()
    {
        const Graph graph = parallelChains(20, 3);
        const Blocks blocks = consecutiveBlocks(graph, 1);
        for (const std::optional<int> bound : {std::optional(8), std::optional<int>()}) {
            SharedDevice source(graph);
            SearchOptions options;
            options.s = bound;
            options.maxSeconds = 6;
            options.epsilon = 0.02;
            auto sequential = sequentialSchedule(graph, blocks);
            QVERIFY(fillLatencies(sequential, source));
            const auto result = searchSchedule(graph, blocks, source, options);
            QVERIFY(result);
            QVERIFY(verifySchedule(graph, blocks, result->schedule));
            QVERIFY(*result->schedule.latencyUs() < 0.8 * *sequential.latencyUs());
            QVERIFY(result->schedule.search.gap > 0);
            const bool inTime = result->schedule.search.searchSeconds + result->schedule.search.measureSeconds < 6;
            QVERIFY(result->schedule.search.termination == (inTime ? Termination::InPart : Termination::Budget));
        }
    }

    void searchSchedule_noTimeAtAll_statesAGap()
    {
        const Graph graph = parallelChains(20, 3);
        SharedDevice source(graph);
        for (const SearchBounds bounds : {SearchBounds::Safe, SearchBounds::Assumed}) {
            SearchOptions options;
            options.bounds = bounds;
            options.maxSeconds = 1e-6;
            const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options);
            QVERIFY(result);
            const SearchRecord &record = result->schedule.search;
            QVERIFY(record.termination == Termination::Budget);
            QVERIFY(record.gap > 0 && std::isfinite(record.gap));
            // The longest path takes as long as its operators alone, if none gets faster next to others.
            QVERIFY(record.assumption && record.assumption->stagesChecked == 0);
            QVERIFY(!std::isfinite(record.assumption->gapWithout));
        }
    }

    void searchSchedule_unavailableStages_areLeftOut()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 2);
        SharedDevice source(graph);
        source.brokenKernel = 5;
        const auto result = searchSchedule(graph, blocks, source);
        QVERIFY(result);
        for (const Stage &stage : result->schedule.stages) {
            for (const auto &group : stage.groups) {
                for (const OperatorId id : group)
                    QVERIFY(!source.isBroken(id) || stage.operatorCount() == 1);
            }
        }
    }

    void searchSchedule_nothingAvailable_isDeviceFailed()
    {
        class Dead : public FakeSource {
        public:
            using FakeSource::FakeSource;

        protected:
            Result<double> answer(const Stage &) override { return fail(ErrorCode::DeviceFailed, "gone"); }
        };
        const Graph graph = randomGraph(1, {});
        Dead source(graph);
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::DeviceFailed);
        QCOMPARE(result.error().message, std::string("gone"));
    }

    // For latencies that break the bounds, the result states by how much instead of claiming an optimum.
    void searchSchedule_boundsBroken_statesEpsilon()
    {
        class Contrary : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;

        protected:
            Result<double> answer(const Stage &stage) override
            {
                const auto usual = SharedDevice::answer(stage);
                return stage.groups.size() > 1 ? *usual * 0.6 : *usual;
            }
        };
        const Graph graph = mediumGraph();
        Contrary source(graph);
        source.sharing = 0;
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, timeless());
        QVERIFY(result);
        const SearchRecord &record = result->schedule.search;
        QVERIFY(record.gap > 0.05);
        QVERIFY(record.termination == Termination::BoundsBroken);
        QVERIFY(record.assumption && record.assumption->stagesBroken > 0);
        QVERIFY(record.assumption->allowed > 0.6);
    }

    // The result states what the proof is based on, and how that held on the measured stages.
    void searchSchedule_assumedBounds_sayTheirAssumption()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice safe(graph), assumed(graph), automatic(graph), broken(graph);
        SearchOptions options = timeless();
        const auto proved = searchSchedule(graph, blocks, safe, options);
        options.bounds = SearchBounds::Assumed;
        const auto result = searchSchedule(graph, blocks, assumed, options);
        options.bounds = SearchBounds::Auto; // this source knows no bounds of its own
        const auto same = searchSchedule(graph, blocks, automatic, options);
        QVERIFY(proved && result && same);
        QVERIFY(proved->schedule.search.assumption && proved->schedule.search.assumption->stagesBroken == 0);
        QVERIFY(proved->schedule.search.termination == Termination::Optimal);
        QCOMPARE(*result->schedule.latencyUs(), *proved->schedule.latencyUs()); // the assumption holds on this device
        QVERIFY2(assumed.asked < safe.asked, qPrintable(QString("%1 of %2").arg(assumed.asked).arg(safe.asked)));
        QCOMPARE(automatic.asked, assumed.asked);
        const SearchRecord &record = result->schedule.search;
        QVERIFY(record.termination == Termination::UnderAssumption);
        QCOMPARE(record.gap, 0.0);
        QVERIFY(record.assumption && record.assumption->stagesChecked > 0);
        QCOMPARE(record.assumption->stagesBroken, std::int64_t{0});
        QVERIFY(record.assumption->gapWithout > 0 && std::isfinite(record.assumption->gapWithout));

        // A device that is faster with more groups: the result states that the assumption was wrong, and by how much.
        class Helpful : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;

        protected:
            Result<double> answer(const Stage &stage) override
            {
                return *SharedDevice::answer(stage) / (stage.groups.size() > 2 ? 1.5 : 1);
            }
        };
        Helpful helpful(graph);
        options.bounds = SearchBounds::Assumed;
        const auto wrong = searchSchedule(graph, blocks, helpful, options);
        QVERIFY(wrong && wrong->schedule.search.assumption);
        QVERIFY(wrong->schedule.search.assumption->stagesBroken > 0);
        QVERIFY(wrong->schedule.search.assumption->worst > 0.05);

        SharedDevice all(graph);
        options.exhaustive = true; // nothing is left to assume
        const auto everything = searchSchedule(graph, blocks, all, options);
        QVERIFY(everything && !everything->schedule.search.assumption);
        QVERIFY(everything->schedule.search.termination == Termination::Optimal);
    }

    void searchSchedule_chainsThatAddUp_takesFewerMeasurements()
    {
        // The operators of a group one after another, groups beside each other.
        class Serial : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;
            bool chainsAddUp() const override { return addsUp; }

            bool addsUp = false;
            double hidden = 0; // share of the later operators of a group that hides behind the first

        protected:
            Result<double> answer(const Stage &stage) override
            {
                if (stage.strategy == Strategy::Merge)
                    return SharedDevice::answer(stage);
                double sum = 0, most = 0;
                for (const auto &group : stage.groups) {
                    double own = 0;
                    for (const OperatorId id : group)
                        own += weight(id) * (own == 0 ? 1 : 1 - hidden);
                    sum += own;
                    most = std::max(most, own);
                }
                return most + sharing * (sum - most);
            }
        };
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SearchOptions options = timeless();
        options.bounds = SearchBounds::Safe;
        Serial without(graph), with(graph);
        with.addsUp = true;
        const auto plain = searchSchedule(graph, blocks, without, options);
        const auto bounded = searchSchedule(graph, blocks, with, options);
        QVERIFY(plain && bounded);
        QCOMPARE(*bounded->schedule.latencyUs(), *plain->schedule.latencyUs());
        QVERIFY2(with.asked < without.asked, qPrintable(QString("%1 of %2").arg(with.asked).arg(without.asked)));
        QVERIFY(bounded->schedule.search.termination == Termination::Optimal ||
                bounded->schedule.search.termination == Termination::UnderAssumption);

        // Where they do not, the result says so: half of later operators hides, and the bound was too high.
        Serial hiding(graph);
        hiding.addsUp = true;
        hiding.hidden = 0.5;
        const auto wrong = searchSchedule(graph, blocks, hiding, options);
        QVERIFY(wrong && wrong->schedule.search.assumption);
        const BoundAssumption &assumption = *wrong->schedule.search.assumption;
        QCOMPARE(assumption.text, std::string("no stage is faster than its slowest group, and no group is faster than "
                                              "its operators one after another"));
        QVERIFY(assumption.stagesBroken > 0 && assumption.worst > 0.2);
        QVERIFY(wrong->schedule.search.gap > 0);
        QVERIFY(wrong->schedule.search.termination == Termination::BoundsBroken);
    }

    void searchSchedule_noisySource_trustsBoundsAsMostMeasurementsDo()
    {
        // One of the larger stages took a third of what it should: that must not discount all the others.
        class Noisy : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;
            bool isNoisy() const override { return noisy; }

            bool noisy = true;

        protected:
            Result<double> answer(const Stage &stage) override
            {
                const auto usual = SharedDevice::answer(stage);
                const std::uint64_t hash = m_signer.sign(stage).high;
                const bool outlier = stage.operatorCount() > 2 && ++m_larger == 1;
                return *usual * (outlier ? 1 / 3.0 : 1 + 0.02 * static_cast<double>(hash % 7) / 7);
            }

        private:
            int m_larger = 0;
        };
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        Noisy noisy(graph), exact(graph);
        exact.noisy = false;
        const auto result = searchSchedule(graph, blocks, noisy, timeless());
        const auto worst = searchSchedule(graph, blocks, exact, timeless());
        QVERIFY(result && worst);
        QVERIFY2(worst->schedule.search.gap > 0.3, qPrintable(QString::number(worst->schedule.search.gap)));
        QVERIFY2(result->schedule.search.gap < 0.05, qPrintable(QString::number(result->schedule.search.gap)));
    }

    void searchSchedule_keptAnswers_areCacheHitsNotMeasurements()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice fresh(graph);
        SharedDevice kept(graph);
        kept.kind = LatencyKind::Stored;
        SearchOptions options;
        options.maxMeasurements = 1; // free answers use up no budget
        const auto result = searchSchedule(graph, blocks, kept, options);
        const auto measured = searchSchedule(graph, blocks, fresh);
        QVERIFY(result && measured);
        const SearchRecord &record = result->schedule.search;
        QCOMPARE(record.stageMeasurements, std::int64_t{0});
        QVERIFY(record.cacheHits >= measured->schedule.search.stageMeasurements);
        QCOMPARE(*result->schedule.latencyUs(), *measured->schedule.latencyUs());
        QVERIFY(record.termination == Termination::Optimal);
    }

    // Otherwise a search with a full store would take the store's answer time for that of a measurement, and measure
    // all the rest.
    void secondsPerMeasurement_keptAnswers_doNotCount()
    {
        class PartlyKept : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;
            SearchClock::Time now{};

        protected:
            Result<double> answer(const Stage &stage) override
            {
                now += std::chrono::seconds(kind == LatencyKind::Stored ? 0 : 2);
                return SharedDevice::answer(stage);
            }
        };
        const Graph graph = mediumGraph();
        PartlyKept source(graph);
        source.kind = LatencyKind::Stored;
        const SearchProgressCallback silent;
        SearchOptions options;
        options.clock.read = [&] { return source.now; };
        LatencyQueries queries(graph, source, options, silent, {});
        const OperatorId a{0};
        const OperatorId b{1};
        QVERIFY(queries.ask({0, Strategy::Concurrent, {{a}}}));
        QCOMPARE(queries.measurements(), std::int64_t{0});
        QVERIFY(!queries.secondsPerMeasurement());
        source.kind = LatencyKind::Measured;
        QVERIFY(queries.ask({0, Strategy::Concurrent, {{a}, {b}}}));
        QCOMPARE(queries.measurements(), std::int64_t{1});
        QCOMPARE(queries.secondsPerMeasurement().value(), 2.0);
    }

    void searchSchedule_runnersUp_areTrue()
    {
        const Graph graph = mediumGraph();
        const Blocks blocks = consecutiveBlocks(graph, 2);
        SharedDevice source(graph);
        source.boundary = {3, 1};
        SearchOptions options;
        options.exhaustive = true;
        const auto result = searchSchedule(graph, blocks, source, options);
        QVERIFY(result);
        QCOMPARE(result->blocks.size(), blocks.size());
        for (const BlockSearch &block : result->blocks) {
            QVERIFY(block.states > 0 && block.transitions > 0 && block.stageMeasurements > 0);
            QVERIFY(!block.runnersUp.empty());
            double before = 0;
            for (const RunnerUp &runner : block.runnersUp) {
                QVERIFY(runner.measured); // exhaustive: nothing is only a bound
                QVERIFY(runner.extraUs >= before);
                before = runner.extraUs;
                QCOMPARE(runner.latencyUs, *latencyUs(source, runner.stage));
                QCOMPARE(runner.stage.block, block.block);
                QVERIFY(std::ranges::find(result->schedule.stages, runner.stage) == result->schedule.stages.end());
            }
        }
    }

    void searchSchedule_progress_endsWithTheResult()
    {
        const Graph graph = mediumGraph();
        SharedDevice source(graph);
        SearchProgress last;
        double lowest = std::numeric_limits<double>::infinity();
        std::size_t block = 0;
        const auto result =
            searchSchedule(graph, consecutiveBlocks(graph, 3), source, {}, [&](const SearchProgress &progress) {
                QVERIFY(progress.block >= block && progress.block < progress.blocks);
                block = progress.block;
                QVERIFY(progress.bestUs <= lowest || progress.bestUs == 0);
                lowest = progress.bestUs > 0 ? progress.bestUs : lowest;
                last = progress;
            });
        QVERIFY(result);
        QCOMPARE(last.bestUs, *result->schedule.latencyUs());
        QCOMPARE(last.stageMeasurements, source.asked);
        QCOMPARE(last.stageMeasurements, result->schedule.search.stageMeasurements);
        QVERIFY(last.cacheHits > 0);
        QCOMPARE(last.cacheHits, result->schedule.search.cacheHits);
    }

    // The count never exceeds the true number, and says if there is more.
    void countSpace_withLimits_isALowerBound_data()
    {
        QTest::addColumn<qulonglong>("states");
        QTest::addColumn<qlonglong>("transitions");
        QTest::addRow("states") << 100ULL << 1'000'000LL;
        QTest::addRow("transitions") << 1'000'000ULL << 500LL;
    }
    void countSpace_withLimits_isALowerBound()
    {
        QFETCH(qulonglong, states);
        QFETCH(qlonglong, transitions);
        const Graph graph = parallelChains(4, 4);
        const Block block = consecutiveBlocks(graph, 1).front();
        const SpaceCount all = *countSpace(graph, block, {});
        QVERIFY(all.complete);
        const SpaceCount some = *countSpace(graph, block, {}, {}, {states, transitions, {}});
        QVERIFY(!some.complete);
        QVERIFY(some.states > 0 && some.states <= all.states);
        QVERIFY(some.transitions > 0 && some.transitions < all.transitions);
        QVERIFY(some.schedules >= 1 && some.schedules < all.schedules);
    }

    void countSpace_outOfTime_endsAtOnce()
    {
        const Graph graph = parallelChains(20, 3);
        const Block block = consecutiveBlocks(graph, 1).front();
        constexpr std::int64_t kStates = 1'000'000;
        const auto count = countSpace(graph, block, {}, {}, {kStates, 1'000'000'000'000, 0.005});
        QVERIFY(count && !count->complete && count->states > 0);
        QVERIFY(count->states < kStates); // the time limit ended it
    }

    void countSpace_cancelled_isAnError()
    {
        const Graph graph = parallelChains(20, 3);
        const Block block = consecutiveBlocks(graph, 1).front();
        std::stop_source stop;
        stop.request_stop();
        const auto cancelled = countSpace(graph, block, {}, stop.get_token());
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, ErrorCode::Cancelled);
    }

    void greedySchedule_small_takesEverythingReady()
    {
        const Graph graph = parallelChains(3, 2);
        const TimedSchedule greedy = greedySchedule(graph, consecutiveBlocks(graph, 1));
        QCOMPARE(greedy.stages.size(), std::size_t{3});
        QCOMPARE(greedy.stages[0].groups.size(), std::size_t{3});
        QVERIFY(verifySchedule(graph, consecutiveBlocks(graph, 1), greedy));
        const TimedSchedule sequential = sequentialSchedule(graph, consecutiveBlocks(graph, 1));
        QCOMPARE(sequential.stages.size(), graph.size());
        QVERIFY(verifySchedule(graph, consecutiveBlocks(graph, 1), sequential));
    }
};

STAGECRAFT_SUITE(SearchBehaviourTest)

} // namespace tst_search_behaviour
#include "tst_search_behaviour.moc"
