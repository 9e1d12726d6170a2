// The search spaces of the published networks, as in FIGURES.md, and searches of them on the simulated V100.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "search/stages/count.h"
#include "search/stages/search.h"
#include "search/stages/state_space.h"
#include "search/stages/windows.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_published_networks {

namespace {

SearchOptions unpruned(bool singleSource)
{
    SearchOptions options;
    options.strategies = StrategySet::Parallel;
    options.r = options.s = std::nullopt;
    options.singleSource = singleSource;
    return options;
}

} // namespace

class PublishedNetworksTest : public QObject {
    Q_OBJECT

private slots:
    void countSpace_largestBlock_isAsPublished_data()
    {
        QTest::addColumn<QByteArray>("network");
        QTest::addColumn<qint64>("single");
        QTest::addColumn<qint64>("full");
        QTest::addColumn<double>("singleSchedules"); // 0: not published exactly
        QTest::addColumn<double>("fullSchedules");
        QTest::newRow("squeezenet") << QByteArray("squeezenet") << qint64{51} << qint64{60} << 131.0 << 152.0;
        QTest::newRow("inception_v3") << QByteArray("inception_v3") << qint64{4871} << qint64{5040} << 3757392.0
                                      << 4410136.0;
        QTest::newRow("randwire") << QByteArray("randwire") << qint64{1170663} << qint64{3560808} << 0.0 << 0.0;
        QTest::newRow("nasnet") << QByteArray("nasnet") << qint64{307841} << qint64{335331} << 0.0 << 0.0;
    }
    void countSpace_largestBlock_isAsPublished()
    {
        QFETCH(QByteArray, network);
        QFETCH(qint64, single);
        QFETCH(qint64, full);
        QFETCH(double, singleSchedules);
        QFETCH(double, fullSchedules);
        const SourceGraph source = take(builtInNetwork(network.toStdString()));
        // The largest block by the published count, which only covers single sources.
        SpaceCount largest;
        const Block *where = nullptr;
        for (const Block &block : source.blocks) {
            const SpaceCount count = take(countSpace(source.graph, block, unpruned(true)));
            if (count.transitions > largest.transitions) {
                largest = count;
                where = &block;
            }
        }
        QVERIFY(where);
        QCOMPARE(qint64{largest.transitions}, single);
        const SpaceCount whole = take(countSpace(source.graph, *where, unpruned(false)));
        QCOMPARE(qint64{whole.transitions}, full);
        if (singleSchedules > 0) {
            QCOMPARE(largest.schedules, singleSchedules);
            QCOMPARE(whole.schedules, fullSchedules);
        }
        if (network == "randwire")
            QVERIFY(std::abs(largest.schedules / 9.2e22 - 1) < 0.01);
        if (network == "nasnet")
            QVERIFY(std::abs(largest.schedules / 7.2e12 - 1) < 0.01);
    }

    void lowerBoundUs_everyStage_isNotAboveLatency_data()
    {
        QTest::addColumn<QByteArray>("network");
        for (const char *network : {"inception_v3", "randwire"})
            QTest::newRow(network) << QByteArray(network);
    }
    void lowerBoundUs_everyStage_isNotAboveLatency()
    {
        QFETCH(QByteArray, network);
        const SourceGraph source = take(builtInNetwork(network.toStdString()));
        const auto graph = std::make_shared<const Graph>(source.graph);
        const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
        SearchOptions pruning;
        pruning.r = network == "randwire" ? 2 : 3;
        pruning.s = network == "randwire" ? 3 : 8;
        for (std::size_t b = 0; b < source.blocks.size(); ++b) {
            const auto space = buildStateSpace(makeBlockView(*graph, source.blocks[b], b), pruning, {}, {});
            QVERIFY(space);
            for (std::uint32_t i = 0; i < space->stages.size(); ++i) {
                const Stage stage = space->stage(i);
                const double latencyUs = take(session->stageLatency(stage, {})).timing.latencyUs;
                QVERIFY(session->lowerBoundUs(stage) <= latencyUs);
                std::vector<double> shares;
                for (const auto &group : stage.groups) {
                    for (const OperatorId id : group) {
                        const std::vector<double> own = session->sharesUs(id);
                        shares.resize(own.size());
                        std::ranges::transform(shares, own, shares.begin(), std::plus{});
                    }
                }
                QVERIFY(!shares.empty() && std::ranges::max(shares) > 0);
                QVERIFY(stage.strategy == Strategy::Merge || std::ranges::max(shares) <= latencyUs);
            }
        }
    }

    // A device where a merged convolution takes less than one of its members alone.
    void blockBoundUs_mergingPays_isNotAboveTheOptimum()
    {
        const SourceGraph source = take(builtInNetwork("inception_v3"));
        const auto graph = std::make_shared<const Graph>(source.graph);
        for (const char *id : {"v100", "v100*conv_efficiency=0.02,winograd_efficiency=1"}) {
            const auto session = take(take(openSimulatedDevice(id))->open(graph));
            std::vector<double> aloneUs(graph->size(), 0);
            for (const Stage &stage : sequentialSchedule(*graph, source.blocks).stages)
                aloneUs[stage.groups.front().front().index()] = take(session->stageLatency(stage, {})).timing.latencyUs;
            for (const StrategySet strategies : {StrategySet::Parallel, StrategySet::Merge, StrategySet::Both}) {
                SearchOptions options;
                options.strategies = strategies;
                const auto best = take(searchSchedule(*graph, source.blocks, *session, options));
                for (std::size_t b = 0; b < source.blocks.size(); ++b) {
                    const BlockView view = makeBlockView(*graph, source.blocks[b], b);
                    const double boundUs = blockBoundUs(view, options, aloneUs, 0, *session);
                    QVERIFY(boundUs > 0 && boundUs <= best.blocks[b].latencyUs * (1 + 1e-9));
                }
            }
        }
    }

    void searchSchedule_inceptionOnV100_needsFewMeasurements_data()
    {
        QTest::addColumn<QByteArray>("strategies");
        for (const char *strategies : {"parallel", "merge", "both"})
            QTest::newRow(strategies) << QByteArray(strategies);
    }
    void searchSchedule_inceptionOnV100_needsFewMeasurements()
    {
        QFETCH(QByteArray, strategies);
        const SourceGraph source = take(builtInNetwork("inception_v3"));
        const auto graph = std::make_shared<const Graph>(source.graph);
        const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
        SearchOptions options;
        options.strategies = *strategySetFromString(strategies.toStdString());
        options.epsilon = 0.02;
        const auto within = take(searchSchedule(*graph, source.blocks, *session, options));
        QVERIFY(within.schedule.search.stageMeasurements <= 800);
        QVERIFY(within.schedule.search.gap <= 0.02);
        options.epsilon = 0;
        const auto lazy = take(searchSchedule(*graph, source.blocks, *session, options));
        options.exhaustive = true;
        const auto exhaustive = take(searchSchedule(*graph, source.blocks, *session, options));
        QCOMPARE(*lazy.schedule.latencyUs(), *exhaustive.schedule.latencyUs());
        QVERIFY(lazy.schedule.search.termination == Termination::Optimal);
        QVERIFY(lazy.schedule.search.stageMeasurements <= exhaustive.schedule.search.stageMeasurements);
    }
};

STAGECRAFT_SUITE(PublishedNetworksTest)

} // namespace tst_published_networks
#include "tst_published_networks.moc"
