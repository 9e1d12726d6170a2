// The learned order proves what the order by bounds proves, with fewer measurements, whatever its model says.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "search/order/latency_model.h"
#include "search/stages/search.h"
#include "search/stages/stage_table.h"
#include "support/brute_force.h"
#include "support/graph_making.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/search_spaces.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_learned_order {

namespace {

constexpr std::uint32_t kSeeds = kSanitized ? 2 : 8; // per row; 30 rows

SearchOptions learned(SearchOptions options = {})
{
    options.order = SearchOrder::Learned;
    options.clock = {[] { return SearchClock::Time{}; }}; // answers that take no time would all be asked for
    return options;
}

Graph graphOf(std::uint32_t seed)
{
    RandomGraphOptions options;
    options.operators = 7 + static_cast<int>(seed % 4);
    options.density = 0.15 + 0.05 * (seed % 4);
    options.kinds = 1 + static_cast<int>(seed % 3);
    return randomGraph(seed, options);
}

// Samples whose latency is `ratio` times the guess where the first feature is set.
std::vector<StageSample> samplesWith(double ratio, std::size_t count)
{
    std::vector<StageSample> samples;
    for (std::size_t i = 0; i < count; ++i) {
        StageSample sample{std::vector<float>(StageFeatures::kCount, 0.0F), 10, 10};
        sample.features[0] = static_cast<float>(i % 2);
        sample.latencyUs = i % 2 == 1 ? 10 * ratio : 10;
        samples.push_back(std::move(sample));
    }
    return samples;
}

constexpr std::int64_t kWrongSamples = 200;

// A device about which much is known that is not so.
class Misleading : public SharedDevice {
public:
    using SharedDevice::SharedDevice;
    std::vector<StageSample> samples() override
    {
        std::vector<StageSample> wrong = samplesWith(7, kWrongSamples);
        for (std::size_t i = 0; i < wrong.size(); ++i)
            wrong[i].features[2] = static_cast<float>(i % 5);
        return wrong;
    }
};

// The simulated V100 without its bounds.
class Hidden : public StageLatencySource {
public:
    explicit Hidden(const std::shared_ptr<const Graph> &graph)
        : m_session(take(take(openSimulatedDevice("v100"))->open(graph)))
    {
    }
    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        return m_session->stageLatency(question, std::move(stop));
    }
    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }

private:
    std::unique_ptr<DeviceSession> m_session;
};

} // namespace

class LearnedOrderTest : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_learnedOrder_provesTheOptimumOfBounds_data() { addSpaces(); }
    void searchSchedule_learnedOrder_provesTheOptimumOfBounds()
    {
        QFETCH(SearchOptions, options);
        QFETCH(BoundaryCost, boundary);
        for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
            const Graph graph = graphOf(seed);
            const Blocks blocks = consecutiveBlocks(graph, 1 + seed % 2);
            const auto configure = [&](SharedDevice &source) {
                source.boundary = boundary;
                source.sharing = 0.1 * (seed % 9);
                source.mergeGain = 0.5 + 0.1 * (seed % 5);
            };
            SharedDevice byBounds(graph), byModel(graph);
            Misleading misled(graph);
            configure(byBounds);
            configure(byModel);
            configure(misled);
            options.exhaustive = true;
            const auto expected = searchSchedule(graph, blocks, byBounds, options);
            options.exhaustive = false;
            QVERIFY(expected);
            for (SharedDevice *source : {&byModel, static_cast<SharedDevice *>(&misled)}) {
                const auto found = searchSchedule(graph, blocks, *source, learned(options));
                QVERIFY2(found, found ? "" : found.error().message.c_str());
                QCOMPARE(*found->schedule.latencyUs(), *expected->schedule.latencyUs());
                QVERIFY(found->schedule.search.termination == Termination::Optimal);
                QCOMPARE(found->schedule.search.gap, 0.0);
                QCOMPARE(found->schedule.search.order, std::string("learned"));
                QVERIFY(source != &misled || found->schedule.search.trainedOn >= kWrongSamples);
            }
        }
    }

    void searchSchedule_publishedNetworks_sameOptimumWithFewerMeasurements_data()
    {
        QTest::addColumn<QByteArray>("network");
        QTest::addColumn<double>("atMost"); // of the measurements by bounds
        QTest::newRow("squeezenet") << QByteArray("squeezenet") << 0.95;
        QTest::newRow("googlenet") << QByteArray("googlenet") << 0.75;
    }
    void searchSchedule_publishedNetworks_sameOptimumWithFewerMeasurements()
    {
        QFETCH(QByteArray, network);
        QFETCH(double, atMost);
        const SourceGraph source = take(builtInNetwork(network.toStdString()));
        const auto graph = std::make_shared<const Graph>(source.graph);
        SearchOptions options = learned();
        options.bounds = SearchBounds::Assumed;
        Hidden device(graph);
        const auto byModel = searchSchedule(source.graph, source.blocks, device, options);
        options.order = SearchOrder::Bounds;
        const auto byBounds = searchSchedule(source.graph, source.blocks, device, options);
        QVERIFY(byModel && byBounds);
        QCOMPARE(*byModel->schedule.latencyUs(), *byBounds->schedule.latencyUs());
        const auto count = static_cast<double>(byModel->schedule.search.stageMeasurements);
        const auto before = static_cast<double>(byBounds->schedule.search.stageMeasurements);
        QVERIFY2(count <= atMost * before, qPrintable(QString("%1 of %2").arg(count).arg(before)));
    }

    void searchSchedule_tooFewSamples_worksWithoutAModel()
    {
        RandomGraphOptions small;
        small.operators = 4;
        const Graph graph = randomGraph(3, small);
        const Blocks blocks = consecutiveBlocks(graph, 1);
        SharedDevice byModel(graph), byBounds(graph);
        const auto found = searchSchedule(graph, blocks, byModel, learned());
        const auto expected = searchSchedule(graph, blocks, byBounds);
        QVERIFY(found && expected);
        QCOMPARE(found->schedule.search.trainedOn, std::int64_t{0});
        QCOMPARE(*found->schedule.latencyUs(), *expected->schedule.latencyUs());
    }

    void searchSchedule_automaticOrder_isLearnedOnNoisyDevices()
    {
        class Noisy : public SharedDevice {
        public:
            using SharedDevice::SharedDevice;
            bool isNoisy() const override { return noisy; }

            bool noisy = true;
        };
        const Graph graph = graphOf(1);
        const Blocks blocks = consecutiveBlocks(graph, 1);
        Noisy device(graph);
        SearchOptions options = learned();
        options.order = SearchOrder::Auto;
        QCOMPARE(searchSchedule(graph, blocks, device, options)->schedule.search.order, std::string("learned"));
        device.noisy = false;
        QCOMPARE(searchSchedule(graph, blocks, device, options)->schedule.search.order, std::string("bounds"));
    }

    void forget_oneOfManyLatencies_leavesTheBoundsOfTheOthers()
    {
        for (std::uint32_t seed = 0; seed < 4 * kSeeds; ++seed) {
            const Graph graph = graphOf(seed);
            const Blocks blocks = consecutiveBlocks(graph, 1);
            SharedDevice source(graph);
            SearchOptions options;
            const SearchProgressCallback none;
            LatencyQueries queries(graph, source, options, none, {});
            std::vector<StateSpace> spaces;
            spaces.push_back(std::move(*buildStateSpace(makeBlockView(graph, blocks[0], 0), options, {}, {})));
            const auto table = StageTable::make(spaces, queries, SearchBounds::Assumed);
            const auto bounds = [&] { return std::vector(table->atLeast(0).begin(), table->atLeast(0).end()); };
            table->assume();
            for (std::uint32_t index = 0; index < table->size(); index += 2)
                table->setLatency(index, 3 + 2 * table->at(index).operators + index % 3);
            const auto before = bounds();
            const std::size_t unknown = table->unknown();
            for (std::uint32_t index = 1; index < table->size(); index += 2) {
                table->setLatency(index, 100);
                table->forget(index);
                QCOMPARE(bounds(), before);
                QCOMPARE(table->unknown(), unknown);
            }
            table->takeBack();
            QCOMPARE(table->unknown(), table->size());
        }
    }

    void fit_ratioOfAFeature_isLearned()
    {
        const auto samples = samplesWith(3, 200);
        const auto model = LatencyModel::fit(samples);
        QVERIFY2(model, model ? "" : model.error().message.c_str());
        QCOMPARE((*model)->trainedOn(), std::size_t{200});
        std::vector<float> features = samples[0].features;
        features.insert(features.end(), samples[1].features.begin(), samples[1].features.end());
        const auto ratios = take((*model)->ratios(features));
        QCOMPARE(ratios.size(), std::size_t{2});
        QVERIFY2(std::abs(ratios[0] - 1) < 0.05 && std::abs(ratios[1] - 3) < 0.15,
                 qPrintable(QString::number(ratios[1])));
        QVERIFY(take((*take(LatencyModel::fit(samples))).ratios(features)) ==
                ratios); // the same samples, the same model
    }

    void fit_fewOrBadSamples_isRefused()
    {
        const auto few = LatencyModel::fit(samplesWith(3, LatencyModel::kFewest - 1));
        QVERIFY(!few && few.error().code == ErrorCode::WrongUse);
        auto samples = samplesWith(3, LatencyModel::kFewest);
        samples[5].features.pop_back();
        const auto bad = LatencyModel::fit(samples);
        QVERIFY(!bad && bad.error().code == ErrorCode::WrongUse);
        samples = samplesWith(3, LatencyModel::kFewest);
        samples[5].latencyUs = INFINITY;
        QVERIFY(!LatencyModel::fit(samples));
    }
};

STAGECRAFT_SUITE(LearnedOrderTest)

} // namespace tst_learned_order
#include "tst_learned_order.moc"
