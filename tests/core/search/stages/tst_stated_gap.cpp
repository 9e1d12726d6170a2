// The stated gap is never smaller than the true one, whatever the device does: compared with brute force, on sources
// that break every assumption.

#include "search/search_words.h"
#include "search/stages/search.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stated_gap {

namespace {

constexpr double kRounding = 1e-9;

// Groups do not share the device. For a random half of the stages, chosen by signature, the device is faster than
// assumed by `breach`. For some stages it states less than that.
class Breaching : public SharedDevice {
public:
    Breaching(const Graph &graph, double breach, std::uint64_t seed, double promise)
        : SharedDevice(graph), m_breach(breach), m_seed(seed), m_promise(promise)
    {
        sharing = 0;
    }
    double lowerBoundUs(const Stage &stage) const override
    {
        Breaching self(m_graph, m_breach, m_seed, m_promise);
        const auto us = self.answer(stage);
        return us && stage.operatorCount() % 2 == 0 ? m_promise * *us : 0;
    }

protected:
    Result<double> answer(const Stage &stage) override
    {
        const std::uint64_t hash = (m_signer.sign(stage).high ^ m_seed) * 0x9e3779b97f4a7c15ULL;
        auto us = SharedDevice::answer(stage);
        return (hash >> 40) % 4 == 0 ? *us / (1 + m_breach) : *us;
    }

private:
    double m_breach;
    std::uint64_t m_seed;
    double m_promise;
};

} // namespace

class StatedGapTest : public QObject {
    Q_OBJECT

private slots:
    void statedGap_brokenAssumptions_isNeverLessThanItSays_data()
    {
        QTest::addColumn<int>("bounds");
        QTest::addColumn<double>("breach");
        for (const double breach : {0.0, 0.05, 0.7}) {
            QTest::addRow("safe, breach %g", breach) << static_cast<int>(SearchBounds::Safe) << breach;
            QTest::addRow("assumed, breach %g", breach) << static_cast<int>(SearchBounds::Assumed) << breach;
        }
    }
    void statedGap_brokenAssumptions_isNeverLessThanItSays()
    {
        QFETCH(int, bounds);
        QFETCH(double, breach);
        int rests = 0, broken = 0;
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            RandomGraphOptions shape;
            shape.operators = 4 + static_cast<int>(seed % 3);
            shape.density = 0.15 + 0.1 * (seed % 4);
            const Graph graph = randomGraph(seed, shape);
            const Blocks blocks = consecutiveBlocks(graph, 1 + seed % 2);
            SearchOptions options;
            options.bounds = static_cast<SearchBounds>(bounds);
            if (seed % 4 == 1)
                options.maxMeasurements = 9;
            if (seed % 4 == 2)
                options.epsilon = 0.05;
            Breaching truth(graph, breach, seed, 0.5 * (seed % 3)), source(graph, breach, seed, 0.5 * (seed % 3));
            truth.boundary = source.boundary = {2.1, 0.4};
            const double bestUs = BruteForce(graph, blocks, options).run(truth).bestUs;
            const auto result = searchSchedule(graph, blocks, source, options);
            QVERIFY(result);
            const SearchRecord &record = result->schedule.search;
            const double trueGap = record.sumUs / bestUs - 1;
            QCOMPARE(record.sumUs, *result->schedule.latencyUs());
            QVERIFY(trueGap >= -kRounding);
            const auto &assumption = record.assumption;
            if (!assumption) {
                QVERIFY2(record.gap >= trueGap - kRounding, qPrintable(QString::number(seed)));
                continue;
            }
            ++rests;
            broken += assumption->stagesBroken > 0;
            // No stage breaks an assumption by more than `breach`: where that was seen, the gap allows for all of it.
            if (assumption->allowed >= breach - kRounding)
                QVERIFY2(record.gap >= trueGap - kRounding, qPrintable(QString::number(seed)));
            if (bounds == static_cast<int>(SearchBounds::Safe))
                QVERIFY2(assumption->gapWithout >= trueGap - kRounding, qPrintable(QString::number(seed)));
            QVERIFY(assumption->worst <= breach + kRounding);
            QVERIFY(record.gap <= assumption->gapWithout);
            QVERIFY(record.termination != Termination::Optimal || assumption->stagesBroken == 0);
            QVERIFY(record.termination != Termination::WithinEpsilon || options.epsilon > 0);
        }
        QVERIFY(rests > 0 && (broken > 0) == (breach > 0));
    }

    // A block alone may save a boundary that its neighbours then pay: in its place, that is no gap.
    void inPlaceBound_optimalSchedule_leavesNoBlockAGap()
    {
        int apart = 0;
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            RandomGraphOptions shape;
            shape.operators = 9;
            shape.density = 0.2;
            const Graph graph = randomGraph(seed, shape);
            SharedDevice source(graph);
            source.boundary = {6.3, 0.2};
            const auto result = searchSchedule(graph, consecutiveBlocks(graph, 3), source);
            QVERIFY(result);
            const bool isOptimal = result->schedule.search.termination == Termination::Optimal;
            for (const BlockSearch &block : result->blocks) {
                QVERIFY(block.inPlaceBoundUs <= block.latencyUs);
                QVERIFY(block.inPlaceBoundUs >= block.lowerBoundUs - kRounding || !isOptimal);
                if (isOptimal)
                    QCOMPARE(block.inPlaceBoundUs, block.latencyUs);
                apart += isOptimal && block.lowerBoundUs < block.latencyUs * (1 - kRounding);
            }
        }
        QVERIFY(apart > 0); // else the case proves nothing
    }

    // If one stage of many breaks the assumption, only bounds that use it are reduced, not those of the whole schedule.
    void statedGap_oneBreach_leavesWhatWasMeasured()
    {
        class OneBreach : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;

        protected:
            Result<double> answer(const Stage &stage) override
            {
                const auto us = SharedDevice::answer(stage);
                return stage.operatorCount() > 2 && ++m_larger == 1 ? *us * 0.3 : *us;
            }

        private:
            int m_larger = 0;
        };
        RandomGraphOptions shape;
        shape.operators = 14;
        shape.density = 0.12;
        const Graph graph = randomGraph(7, shape);
        OneBreach source(graph);
        const auto result = searchSchedule(graph, consecutiveBlocks(graph, 3), source);
        QVERIFY(result);
        const SearchRecord &record = result->schedule.search;
        QVERIFY(record.assumption && record.assumption->stagesBroken > 0);
        QVERIFY2(record.gap < 0.8 * record.assumption->worst, qPrintable(QString::number(record.gap)));
        // The bounds of the blocks agree with that of the whole.
        double lowerUs = 0;
        for (const BlockSearch &block : result->blocks)
            lowerUs += block.lowerBoundUs;
        QVERIFY(lowerUs <= record.sumUs / (1 + record.gap) * (1 + kRounding));
        const std::string words = gapBasisText(record);
        QVERIFY2(words.find("false for ") != std::string::npos, words.c_str());
    }

    void words_ofEveryTermination_sayWhatIsProved_data()
    {
        QTest::addColumn<int>("termination");
        QTest::addColumn<double>("gap");
        QTest::addColumn<QString>("words");
        const auto row = [](Termination termination, double gap, const char *words) {
            QTest::addRow("%s", words) << static_cast<int>(termination) << gap << QString(words);
        };
        row(Termination::None, 0, "");
        row(Termination::Optimal, 0, "best schedule with barriers (any r, any s)");
        row(Termination::WithinEpsilon, 0.012, "proved, within 1.2 %");
        row(Termination::UnderAssumption, 0, "proved, within 0 %");
        row(Termination::BoundsBroken, 0.312, "not proved, within 31.2 %");
        row(Termination::InPart, 0.08, "searched in part, within 8.0 %");
        row(Termination::Budget, 0.0001, "budget used, within 0.01 %");
        row(Termination::Cancelled, std::numeric_limits<double>::infinity(), "stopped");
        row(Termination::BaselineKept, 0.04, "nothing faster found than a baseline, within 4.0 %");
    }
    void words_ofEveryTermination_sayWhatIsProved()
    {
        QFETCH(int, termination);
        QFETCH(double, gap);
        QFETCH(QString, words);
        SearchRecord record;
        record.termination = static_cast<Termination>(termination);
        record.gap = gap;
        QCOMPARE(QString::fromStdString(outcomeText(record)), words);
        QVERIFY(terminationFromString(toString(record.termination)) == record.termination);
    }
};

STAGECRAFT_SUITE(StatedGapTest)

} // namespace tst_stated_gap
#include "tst_stated_gap.moc"
