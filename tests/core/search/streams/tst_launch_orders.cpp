// Launch orders inside stages: what they are for a simulated device and for signatures, and which are chosen.

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/launched_groups.h"
#include "schedule/stage_groups.h"
#include "schedule/stage_signature.h"
#include "schedule/stage_text.h"
#include "search/stages/baselines.h"
#include "search/streams/launch_orders.h"
#include "search/streams/relaxed.h"
#include "support/graph_making.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_launch_orders {
namespace {

std::vector<OperatorId> ids(std::initializer_list<std::size_t> indices)
{
    std::vector<OperatorId> made;
    for (const std::size_t index : indices)
        made.push_back(OperatorId::fromIndex(index));
    return made;
}

// Two chains of three convolutions each: 0, 1, 2 and 3, 4, 5.
Stage twoChains()
{
    return {0, Strategy::Concurrent, {ids({0, 1, 2}), ids({3, 4, 5})}};
}

Stage ordered(Stage stage, std::vector<OperatorId> order)
{
    stage.launchOrder = std::move(order);
    return stage;
}

// All legal orders, by another way than the product's: every permutation that keeps what is read before who reads it.
std::vector<std::vector<OperatorId>> allOrders(const Graph &graph, const Stage &stage)
{
    std::vector<std::vector<OperatorId>> all;
    std::vector<OperatorId> order = operatorsOf(stage);
    do {
        const auto place = [&](OperatorId id) { return std::ranges::find(order, id); };
        const bool isLegal = std::ranges::all_of(order, [&](OperatorId id) {
            return std::ranges::all_of(graph.predecessors(id), [&](OperatorId before) {
                return place(before) == order.end() || place(before) < place(id);
            });
        });
        if (isLegal)
            all.push_back(order);
    } while (std::ranges::next_permutation(order).found);
    return all;
}

// A latency from the order alone: what has a high number is dear where it is launched late.
double latencyOfOrder(const Stage &stage)
{
    double us = 1000;
    std::size_t turn = 0;
    for (const GroupLaunch &launch : launchesOf(stage))
        us += static_cast<double>(turn++ * (launch.op.index() + 1));
    return us;
}

StageTime timeByOrder(std::int64_t &asked)
{
    return [&asked](const Stage &stage) -> Result<double> {
        ++asked;
        return latencyOfOrder(stage);
    };
}

// The largest stage of several groups in the greedy schedule of a network.
Stage largestStage(const SourceGraph &source)
{
    const auto stages = greedySchedule(source.graph, source.blocks).stages;
    return *std::ranges::max_element(
        stages, {}, [](const Stage &stage) { return hasLaunchOrders(stage) ? stage.operatorCount() : 0; });
}

} // namespace

class TestLaunchOrders : public QObject {
    Q_OBJECT

private slots:
    void launchesOf_noOrder_areGroupAfterGroup();
    void launchesOf_order_keepPlacesOfGroups();
    void sign_orders_areOfTheKey();
    void simulated_orders_areLaunchedSo();
    void relaxed_beginsWithTheOrder();
    void choose_few_isBestOfAll();
    void choose_random_isBestOfAll_data();
    void choose_random_isBestOfAll();
    void choose_many_staysWithinItsLimit();
    void choose_noneFaster_leavesTheStage();
    void choose_stopped_keepsWhatItHas();
    void choose_failing_passesTheErrorOn();
    void choose_onDevices_isNeverSlower_data();
    void choose_onDevices_isNeverSlower();
};

void TestLaunchOrders::launchesOf_noOrder_areGroupAfterGroup()
{
    std::vector<OperatorId> order;
    std::vector<std::size_t> groups;
    for (const auto &[id, group] : launchesOf(twoChains())) {
        order.push_back(id);
        groups.push_back(group);
    }
    QCOMPARE(order, ids({0, 1, 2, 3, 4, 5}));
    QCOMPARE(groups, (std::vector<std::size_t>{0, 0, 0, 1, 1, 1}));
    QCOMPARE(launchedGroups(twoChains()), twoChains().groups);
}

void TestLaunchOrders::launchesOf_order_keepPlacesOfGroups()
{
    const Graph graph = parallelChains(2, 3);
    const Stage stage = ordered(twoChains(), ids({3, 0, 4, 1, 5, 2}));
    QCOMPARE(launchesOf(stage).front().group, std::size_t{1});
    QCOMPARE(launchedGroups(stage), stage.groups);
    QVERIFY(launchOrderText(graph, twoChains()).empty());
    QVERIFY(launchOrderText(graph, stage).starts_with(graph.op(OperatorId::fromIndex(3)).name + ", "));
    const Stage star{0, Strategy::Concurrent, {ids({0, 1, 2})}, ids({0, 2, 1})};
    QCOMPARE(launchedGroups(star).front(), ids({0, 2, 1}));
}

void TestLaunchOrders::sign_orders_areOfTheKey()
{
    const Graph graph = parallelChains(2, 3);
    StageSigner signer(graph);
    const StageSignature plain = signer.sign(twoChains());
    const StageSignature one = signer.sign(ordered(twoChains(), ids({0, 1, 2, 3, 4, 5})));
    const StageSignature other = signer.sign(ordered(twoChains(), ids({0, 3, 1, 4, 2, 5})));
    QVERIFY(plain != one && one != other && plain != other);
    QVERIFY(plain == signer.sign(twoChains())); // nothing is left of the stages before
    // Of chains that are alike, which comes first is the same stage.
    const Graph four = parallelChains(4, 3); // the last has the kernels of the first
    StageSigner alike(four);
    const auto sign = [&](std::initializer_list<std::size_t> order) {
        return alike.sign({0, Strategy::Concurrent, {ids({0, 1, 2}), ids({9, 10, 11})}, ids(order)});
    };
    QVERIFY(sign({0, 9, 1, 10, 2, 11}) == sign({9, 0, 10, 1, 11, 2}));
    QVERIFY(sign({0, 9, 1, 10, 2, 11}) != sign({0, 9, 10, 1, 2, 11}));
    QVERIFY(sign({0, 1, 2, 9, 10, 11}) == sign({9, 10, 11, 0, 1, 2}));
}

void TestLaunchOrders::simulated_orders_areLaunchedSo()
{
    const auto source = take(builtInNetwork("inception_v3"));
    const auto graph = std::make_shared<const Graph>(source.graph);
    const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
    const Stage stage = largestStage(source);
    QVERIFY(stage.operatorCount() > 3);
    std::mt19937 random(1);
    std::set<double> latencies;
    for (int i = 0; i < 20; ++i) {
        Stage shuffled = stage;
        std::vector<std::size_t> next(stage.groups.size(), 0);
        while (shuffled.launchOrder.size() < stage.operatorCount()) {
            const std::size_t group = random() % stage.groups.size();
            if (next[group] < stage.groups[group].size())
                shuffled.launchOrder.push_back(stage.groups[group][next[group]++]);
        }
        const double us = take(latencyUs(*session, shuffled));
        QVERIFY(us >= session->lowerBoundUs(shuffled));
        QCOMPARE(take(latencyUs(*session, shuffled)), us);
        latencies.insert(us);
        Schedule schedule = greedySchedule(source.graph, source.blocks);
        const auto own = std::ranges::find(schedule.stages, stage);
        const auto number = static_cast<std::size_t>(own - schedule.stages.begin());
        *own = shuffled;
        std::vector<OperatorId> launched; // each at its first kernel
        for (const KernelSpan &kernel : take(session->timeline(schedule, {})).kernels) {
            const OperatorId id = kernel.operators.front();
            if (kernel.stage == number && std::ranges::find(launched, id) == launched.end())
                launched.push_back(id);
        }
        QCOMPARE(launched, shuffled.launchOrder);
    }
    QVERIFY(latencies.size() > 1); // the order matters
}

void TestLaunchOrders::relaxed_beginsWithTheOrder()
{
    const Graph graph = parallelChains(2, 3);
    const std::vector<OperatorId> order = ids({3, 0, 4, 1, 5, 2});
    const Stage last{0, Strategy::Concurrent, {ids({6})}};
    const Streams streams = relaxedStreams(graph, std::vector<Stage>{ordered(twoChains(), order), last});
    for (std::size_t i = 0; i < order.size(); ++i)
        QCOMPARE(streams.launches[i].operators, std::vector<OperatorId>{order[i]});
    QCOMPARE(streams.count, 2U);
}

void TestLaunchOrders::choose_few_isBestOfAll()
{
    const Graph graph = parallelChains(2, 3);
    const std::vector<double> operatorsUs(graph.size(), 1);
    std::int64_t asked = 0;
    const double before = latencyOfOrder(twoChains());
    const auto choice = take(chooseLaunchOrder(graph, twoChains(), before, operatorsUs, timeByOrder(asked), {}, {}));
    QVERIFY(choice.areAllTried);
    QCOMPARE(choice.tried, std::int64_t{20}); // 6! / (3! 3!)
    QCOMPARE(asked, choice.tried);
    double best = before;
    for (const auto &order : allOrders(graph, twoChains()))
        best = std::min(best, latencyOfOrder(ordered(twoChains(), order)));
    QVERIFY(best < before);
    QCOMPARE(choice.latencyUs, best);
    QCOMPARE(latencyOfOrder(choice.stage), best);
}

void TestLaunchOrders::choose_random_isBestOfAll_data()
{
    QTest::addColumn<std::uint32_t>("seed");
    for (std::uint32_t seed = 1; seed <= 50; ++seed)
        QTest::addRow("%u", seed) << seed;
}

void TestLaunchOrders::choose_random_isBestOfAll()
{
    QFETCH(const std::uint32_t, seed);
    const Graph graph = randomGraph(seed, {.operators = 6, .density = 0.2});
    std::vector<OperatorId> all;
    for (std::size_t i = 0; i < graph.size(); ++i)
        all.push_back(OperatorId::fromIndex(i));
    const Stage stage = stageOf(graph, 0, all, Strategy::Concurrent);
    QCOMPARE(hasLaunchOrders(stage), stage.groups.size() > 1);
    const auto session =
        take(take(openSimulatedDevice(seed % 2 == 0 ? "v100" : "a100"))->open(std::make_shared<const Graph>(graph)));
    const StageTime time = [&](const Stage &asked) { return latencyUs(*session, asked); };
    const double before = take(time(stage));
    const std::vector<double> operatorsUs(graph.size(), 1);
    const auto choice = take(chooseLaunchOrder(graph, stage, before, operatorsUs, time, {}, {}));
    const auto orders = allOrders(graph, stage);
    QCOMPARE(choice.tried, static_cast<std::int64_t>(orders.size()));
    double best = before;
    for (const auto &order : orders)
        best = std::min(best, take(time(ordered(stage, order))));
    QCOMPARE(choice.latencyUs, best);
    QCOMPARE(take(time(choice.stage)), best);
}

void TestLaunchOrders::choose_many_staysWithinItsLimit()
{
    const Graph graph = parallelChains(6, 4);
    Stage stage{0, Strategy::Concurrent, {}};
    for (std::size_t chain = 0; chain < 6; ++chain)
        stage.groups.push_back(ids({4 * chain, 4 * chain + 1, 4 * chain + 2, 4 * chain + 3}));
    const std::vector<double> operatorsUs(graph.size(), 1);
    std::int64_t asked = 0;
    const double before = latencyOfOrder(stage);
    const auto choice = take(
        chooseLaunchOrder(graph, stage, before, operatorsUs, timeByOrder(asked), {.exact = 720, .moves = 200}, {}));
    QVERIFY(!choice.areAllTried);
    QVERIFY(choice.tried <= 203 && choice.tried > 3);
    QCOMPARE(asked, choice.tried);
    QVERIFY(choice.latencyUs < before);
    QCOMPARE(latencyOfOrder(choice.stage), choice.latencyUs);
    const auto few =
        take(chooseLaunchOrder(graph, stage, before, operatorsUs, timeByOrder(asked), {.exact = 6, .moves = 0}, {}));
    QVERIFY(few.tried <= 3 && few.tried > 0 && few.latencyUs >= choice.latencyUs);
}

void TestLaunchOrders::choose_noneFaster_leavesTheStage()
{
    const Graph graph = parallelChains(2, 3);
    const std::vector<double> operatorsUs(graph.size(), 1);
    const StageTime same = [](const Stage &) -> Result<double> { return 5; };
    const auto choice = take(chooseLaunchOrder(graph, twoChains(), 5, operatorsUs, same, {}, {}));
    QVERIFY(choice.stage == twoChains() && choice.stage.launchOrder.empty());
    QVERIFY(choice.areAllTried);
}

void TestLaunchOrders::choose_stopped_keepsWhatItHas()
{
    const Graph graph = parallelChains(2, 3);
    const std::vector<double> operatorsUs(graph.size(), 1);
    std::stop_source stop;
    std::int64_t asked = 0;
    const StageTime time = [&](const Stage &stage) -> Result<double> {
        if (++asked == 5)
            stop.request_stop();
        return latencyOfOrder(stage);
    };
    const double before = latencyOfOrder(twoChains());
    const auto choice = take(chooseLaunchOrder(graph, twoChains(), before, operatorsUs, time, {}, stop.get_token()));
    QCOMPARE(choice.tried, std::int64_t{5});
    QVERIFY(!choice.areAllTried);
    QCOMPARE(latencyOfOrder(choice.stage), choice.latencyUs);
}

void TestLaunchOrders::choose_failing_passesTheErrorOn()
{
    const Graph graph = parallelChains(2, 3);
    const std::vector<double> operatorsUs(graph.size(), 1);
    const StageTime failing = [](const Stage &) -> Result<double> {
        return fail(ErrorCode::DeviceFailed, "the device is gone");
    };
    const auto choice = chooseLaunchOrder(graph, twoChains(), 5, operatorsUs, failing, {}, {});
    QVERIFY(!choice);
    QCOMPARE(choice.error().message, std::string("the device is gone"));
}

void TestLaunchOrders::choose_onDevices_isNeverSlower_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QString>("device");
    for (const char *device : {"v100", "k80", "a100"}) {
        for (const char *network : {"sample", "squeezenet", "googlenet", "randwire"})
            QTest::addRow("%s, %s", network, device) << network << device;
    }
}

void TestLaunchOrders::choose_onDevices_isNeverSlower()
{
    QFETCH(const QString, network);
    QFETCH(const QString, device);
    const auto source = take(builtInNetwork(network.toStdString()));
    const auto graph = std::make_shared<const Graph>(source.graph);
    const auto session = take(take(openSimulatedDevice(device.toStdString()))->open(graph));
    const StageTime time = [&](const Stage &stage) { return latencyUs(*session, stage); };
    const std::vector<double> operatorsUs(graph->size(), 1);
    for (const Stage &stage : greedySchedule(*graph, source.blocks).stages) {
        if (!hasLaunchOrders(stage))
            continue;
        const double before = take(time(stage));
        const auto choice =
            take(chooseLaunchOrder(*graph, stage, before, operatorsUs, time, {.exact = 24, .moves = 20}, {}));
        QVERIFY(choice.latencyUs <= before);
        QCOMPARE(choice.latencyUs < before, !choice.stage.launchOrder.empty());
        QVERIFY(choice.latencyUs >= session->lowerBoundUs(choice.stage));
    }
}

STAGECRAFT_SUITE(TestLaunchOrders)

} // namespace tst_launch_orders
#include "tst_launch_orders.moc"
