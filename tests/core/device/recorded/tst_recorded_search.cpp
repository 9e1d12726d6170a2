// The search on a recorded device equals brute force over all schedules, to the last digit: every stage of small random
// graphs is written to a recording, with lines, groups and operators in any order, and read back.

#include "device/recorded/recorded_device.h"
#include "schedule/verify.h"
#include "search/stages/search.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_recorded_search {

namespace {

// Wraps a source and records its answers, but refuses a share of the larger stages.
class Recorder : public StageLatencySource {
public:
    Recorder(const Graph &graph, StageLatencySource &source, double missing, std::uint32_t seed)
        : m_graph(graph), m_source(source), m_missing(missing), m_random(seed)
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        const Stage &stage = question.stage;
        if (stage.operatorCount() > 1 && std::uniform_real_distribution<>(0, 1)(m_random) < m_missing)
            return fail(ErrorCode::DeviceFailed, "not recorded");
        auto latency = m_source.stageLatency(question, stop);
        RecordedStage record{stage.strategy, operatorNames(m_graph, stage), latency->timing};
        std::ranges::shuffle(record.groups, m_random);
        for (auto &group : record.groups)
            std::ranges::shuffle(group, m_random);
        m_stages.push_back(std::move(record));
        return latency;
    }

    std::string file()
    {
        RecordedLatencies latencies{"somewhere", m_graph.batch(), "fp32", m_graph.name(), {}, {}, m_stages};
        std::ranges::shuffle(latencies.stages, m_random);
        return toText(latencies);
    }

private:
    const Graph &m_graph;
    StageLatencySource &m_source;
    double m_missing;
    std::mt19937 m_random;
    std::vector<RecordedStage> m_stages;
};

constexpr std::uint32_t kSeeds = 60; // per row; 36 rows

} // namespace

class RecordedSearchTest : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_onARecording_equalsBruteForce_data()
    {
        QTest::addColumn<SearchOptions>("options");
        QTest::addColumn<double>("missing");
        for (const StrategySet strategies : {StrategySet::Parallel, StrategySet::Merge, StrategySet::Both}) {
            for (const auto &[r, s] : {std::pair{3, 8}, {1, 2}, {2, 1}, {2, 2}, {1, 8}, {0, 0}}) {
                for (const double missing : {0.0, 0.3}) {
                    SearchOptions options;
                    options.strategies = strategies;
                    options.r = boundOf(r);
                    options.s = boundOf(s);
                    QTest::addRow("%s r=%d s=%d%s", toString(strategies).data(), r, s, missing > 0 ? " with holes" : "")
                        << options << missing;
                }
            }
        }
    }

    void searchSchedule_onARecording_equalsBruteForce()
    {
        QFETCH(SearchOptions, options);
        QFETCH(double, missing);
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            RandomGraphOptions shape;
            shape.operators = 2 + static_cast<int>(seed % 6);
            shape.density = 0.15 + 0.1 * (seed % 6);
            shape.sharedInput = 0.2 + 0.2 * (seed % 4);
            shape.kinds = 1 + static_cast<int>(seed % 3);
            const auto graph = std::make_shared<const Graph>(randomGraph(seed + 5000, shape));
            const Blocks blocks = consecutiveBlocks(*graph, 1 + seed % 2);
            RandomSource latencies(*graph, seed, true);
            Recorder recorder(*graph, latencies, missing, seed);
            const auto expected = BruteForce(*graph, blocks, options).run(recorder);

            auto read = recordedLatenciesFromText(recorder.file());
            QVERIFY2(read, read ? "" : read.error().message.c_str());
            const auto session = makeRecordedDevice("rec:test", std::move(*read))->open(graph);
            QVERIFY(session);
            const auto result = searchSchedule(*graph, blocks, **session, options);
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QCOMPARE(*result->schedule.latencyUs(), expected.bestUs);
            QVERIFY(verifySchedule(*graph, blocks, result->schedule));
            const auto measured = (*session)->measureSchedule(result->schedule, {});
            QVERIFY(measured);
            QCOMPARE(measured->whole.timing.latencyUs, expected.bestUs);
        }
    }

    void searchSchedule_withoutAnySchedule_namesAStageThatIsMissing()
    {
        const auto graph = std::make_shared<const Graph>(parallelChains(2, 1));
        RecordedLatencies latencies{"somewhere", 1, "fp32", "chains", {}, {}, {}};
        latencies.stages = {{Strategy::Concurrent, {{"c0_0"}}, 1.0}, {Strategy::Concurrent, {{"c1_0"}}, 1.0}};
        const auto session = makeRecordedDevice("rec:test", latencies)->open(graph);
        const auto result = searchSchedule(*graph, consecutiveBlocks(*graph, 1), **session);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::DeviceFailed);
        QVERIFY2(result.error().message.find("join") != std::string::npos, result.error().message.c_str());
    }
};

STAGECRAFT_SUITE(RecordedSearchTest)

} // namespace tst_recorded_search
#include "tst_recorded_search.moc"
