// Pools: the optimum of one device, whatever happens to members, and every stage counted once.

#include "device/pool/common_stages.h"
#include "device/pool/pool_file.h"
#include "model/built_in.h"
#include "search/capped/capped_search.h"
#include "search/stages/baselines.h"
#include "search/stages/search.h"
#include "support/fake_pool.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stop_token>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pool {

namespace {

struct Network {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
};

Network network(std::string_view name)
{
    SourceGraph source = take(builtInNetwork(name));
    return {std::make_shared<const Graph>(std::move(source.graph)), std::move(source.blocks)};
}

SearchOptions pruned()
{
    SearchOptions options;
    options.r = 1;
    options.s = 3;
    options.clock.read = [] { return SearchClock::Time{}; }; // how much it asks for depends on how long answers take
    return options;
}

Result<FoundSchedule> searchOn(DeviceSession &session, const Network &network)
{
    return searchSchedule(*network.graph, network.blocks, session, pruned(), {}, {});
}

FoundSchedule searchAlone(const Network &network)
{
    const auto session = take(take(openSimulatedDevice("v100"))->open(network.graph));
    return take(searchOn(*session, network));
}

std::int64_t stagesOf(const DeviceSession &session)
{
    std::int64_t stages = 0;
    for (const MemberCounts &member : session.members()->counts())
        stages += member.stages;
    return stages;
}

void compareWithAlone(const FoundSchedule &found, const FoundSchedule &alone)
{
    QVERIFY(found.schedule.stages == alone.schedule.stages);
    QCOMPARE(found.schedule.search.sumUs, alone.schedule.search.sumUs);
    QCOMPARE(found.schedule.search.gap, alone.schedule.search.gap);
    QVERIFY(found.schedule.search.termination == alone.schedule.search.termination);
    QCOMPARE(found.schedule.search.stageMeasurements, alone.schedule.search.stageMeasurements);
}

void writeFile(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
}

} // namespace

class TestPool : public QObject {
    Q_OBJECT

private slots:
    void search_onPool_provesTheSame_data();
    void search_onPool_provesTheSame();
    void search_membersKilled_losesNoStage();
    void search_allMembersLost_fails();
    void search_memberDisagrees_isLeftOut();
    void search_twoMembersDisagree_isRefused();
    void stage_refused_isRefusedAgain();
    void want_anythingElse_keepsWhatIsAskedFor();
    void searchCapped_onPool_findsTheSameSideBySide();
    void search_stopped_isCancelled();
    void commonStages_withinSpread_nobodyIsLeftOut();
    void commonStages_severalDisagree_eachIsNamed();
    void makePool_unequal_isRefused_data();
    void makePool_unequal_isRefused();
    void search_membersComeAndGo_losesNoStage();
    void members_wrongOnes_areToldOnceAndIgnored();
    void poolFile_comments_doNotCount();
    void poolFile_changed_isTakenAsFarAsItIsRight();
    void poolFile_wrongLine_isNamed();
};

void TestPool::search_onPool_provesTheSame_data()
{
    QTest::addColumn<QString>("name");
    for (const BuiltInNetwork &each : builtInNetworks()) {
        if (each.name != "resnext29") // minutes of searching in an unoptimised build
            QTest::newRow(std::string(each.name).c_str()) << QString::fromStdString(std::string(each.name));
    }
}

void TestPool::search_onPool_provesTheSame()
{
    QFETCH(const QString, name);
    const Network net = network(name.toStdString());
    FakeHardware hardware;
    const auto session = take(take(fakePool(4, hardware))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(found);
    compareWithAlone(*found, searchAlone(net));
    QCOMPARE(stagesOf(*session), found->schedule.search.stageMeasurements);
}

void TestPool::search_membersKilled_losesNoStage()
{
    const Network net = network("nasnet");
    FakeHardware hardware;
    hardware.delay = std::chrono::microseconds(200);
    hardware.kills = 100;
    hardware.killEach = 5;
    PoolOptions options;
    options.comesBackAfter = std::chrono::milliseconds(1);
    const auto session = take(take(fakePool(4, hardware, options))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(found);
    QCOMPARE(hardware.killed.load(), std::int64_t{100});
    compareWithAlone(*found, searchAlone(net));
    QCOMPARE(stagesOf(*session), found->schedule.search.stageMeasurements);
    std::int64_t lost = 0;
    for (const MemberCounts &member : session->members()->counts())
        lost += member.timesLost;
    QCOMPARE(lost, std::int64_t{100});
}

void TestPool::search_allMembersLost_fails()
{
    const Network net = network("squeezenet");
    FakeHardware hardware;
    hardware.kills = 1000;
    hardware.killEach = 1;
    hardware.staysLost = true;
    const auto session = take(take(fakePool(3, hardware))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::DeviceFailed);
    QVERIFY(session->isLost());
}

void TestPool::search_memberDisagrees_isLeftOut()
{
    const Network net = network("inception_v3");
    FakeHardware hardware;
    hardware.slowMember = "b";
    hardware.times = 1.2;
    const auto session = take(take(fakePool(3, hardware))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(found);
    compareWithAlone(*found, searchAlone(net));
    const auto members = session->members()->counts();
    QVERIFY(members[0].leftOut.empty());
    QVERIFY2(members[1].leftOut.starts_with("it takes 1.2 times as long as the others on 5 stages in common"),
             members[1].leftOut.c_str());
    QCOMPARE(members[1].stages + members[1].inVain, std::int64_t{0});
    QVERIFY(members[2].leftOut.empty());
}

void TestPool::search_twoMembersDisagree_isRefused()
{
    const Network net = network("squeezenet");
    FakeHardware hardware;
    hardware.slowMember = "b";
    hardware.times = 1.2;
    const auto session = take(take(fakePool(2, hardware))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::WrongUse);
    QVERIFY2(found.error().message.find("the members ") == 0 &&
                 found.error().message.find(" us against ") != std::string::npos,
             found.error().message.c_str());
}

// By whoever refused it before: nobody waits for another member.
void TestPool::stage_refused_isRefusedAgain()
{
    const Network model = network("sample");
    FakeHardware hardware{.refusesConcurrent = true};
    const auto pool = take(fakePool(3, hardware));
    const auto session = take(pool->open(model.graph));
    const TimedSchedule greedy = greedySchedule(*model.graph, model.blocks);
    const auto stage = std::ranges::find_if(greedy.stages, [](const Stage &each) { return each.groups.size() > 1; });
    QVERIFY(stage != greedy.stages.end());
    for (int asked = 0; asked < 6; ++asked) {
        const auto latency = session->stageLatency(*stage, {});
        QVERIFY(!latency);
        QCOMPARE(latency.error().code, ErrorCode::DeviceFailed);
        QVERIFY(session->stageLatency(stageAlone(OperatorId::fromIndex(0)), {}));
    }
}

// What is wanted next takes the place of what was wanted, and never of a question.
void TestPool::want_anythingElse_keepsWhatIsAskedFor()
{
    const Network model = network("sample");
    FakeHardware hardware{.delay = std::chrono::milliseconds(2)};
    const auto pool = take(fakePool(2, hardware));
    const auto session = take(pool->open(model.graph));
    StageSigner signer(*model.graph);
    std::vector<WantedStage> all;
    for (std::size_t i = 0; i < model.graph->size(); ++i) {
        const Stage stage = stageAlone(OperatorId::fromIndex(i));
        all.push_back({stage, signer.sign(stage)});
    }
    for (const WantedStage &asked : all) {
        session->want(all);
        QVERIFY(session->stageLatency({asked.stage, asked.signature}, {}));
        session->want({});
    }
}

// "a" goes while the search runs, and "c" comes.
void TestPool::search_membersComeAndGo_losesNoStage()
{
    const Network net = network("nasnet");
    FakeHardware hardware;
    hardware.delay = std::chrono::microseconds(200);
    hardware.killEach = 1'000'000; // none; answers are counted
    constexpr std::int64_t kBefore = 100;
    PoolOptions options;
    options.looksAfter = std::chrono::milliseconds(1);
    options.members = [&] { return hardware.answers < kBefore ? PoolMembers{{"a", "b"}} : PoolMembers{{"b", "c"}}; };
    const auto session = take(take(fakePool(2, hardware, options))->open(net.graph));
    const auto found = searchOn(*session, net);
    QVERIFY(found);
    compareWithAlone(*found, searchAlone(net));
    QCOMPARE(stagesOf(*session), found->schedule.search.stageMeasurements);
    const auto members = session->members()->counts();
    QCOMPARE(members.size(), std::size_t{3});
    QCOMPARE(members[0].leftOut, std::string("it was taken out of the pool"));
    QVERIFY(members[0].stages > 0 && members[1].stages > 0 && members[2].stages > 0);
    QVERIFY(members[1].leftOut.empty() && members[2].leftOut.empty());
    QCOMPARE(members[2].device, std::string("c"));
}

void TestPool::members_wrongOnes_areToldOnceAndIgnored()
{
    const Network model = network("sample");
    FakeHardware hardware;
    std::mutex mutex; // protects `told`
    std::vector<std::string> told;
    std::atomic<int> asked = 0;
    PoolOptions options;
    options.looksAfter = std::chrono::milliseconds(1);
    options.tell = [&](const std::string &text) {
        const std::scoped_lock lock(mutex);
        told.push_back(text);
    };
    options.members = [&]() -> PoolMembers {
        ++asked;
        return {{}, {"lab.pool:2: pool:other is not one device"}};
    };
    const auto session = take(take(fakePool(2, hardware, options))->open(model.graph));
    QTRY_VERIFY(asked > 5);
    QVERIFY(session->stageLatency(stageAlone(OperatorId::fromIndex(0)), {}));
    QVERIFY(!session->isLost());
    QCOMPARE(session->members()->counts().size(), std::size_t{2});
    const std::scoped_lock lock(mutex);
    QVERIFY(told == std::vector<std::string>{"lab.pool:2: pool:other is not one device"});
}

// The program under a cap asks stage after stage; what comes next is wanted meanwhile.
void TestPool::searchCapped_onPool_findsTheSameSideBySide()
{
    const Network net = network("squeezenet");
    const CountedMemory counted{2};
    const std::size_t smallest = take(smallestCap(*net.graph, net.blocks, pruned(), counted, {}, {}));
    const MemoryCap cap{smallest, counted};
    const auto alone = take(take(openSimulatedDevice("v100"))->open(net.graph));
    const CappedResult expected = take(searchCapped(*net.graph, net.blocks, *alone, pruned(), cap, {}, {}));
    FakeHardware hardware{.delay = std::chrono::microseconds(500)};
    const auto session = take(take(fakePool(4, hardware))->open(net.graph));
    const CappedResult found = take(searchCapped(*net.graph, net.blocks, *session, pruned(), cap, {}, {}));
    QVERIFY(found.stages == expected.stages);
    QCOMPARE(found.sumUs, expected.sumUs);
    QCOMPARE(found.stageMeasurements, expected.stageMeasurements);
    QCOMPARE(stagesOf(*session), found.stageMeasurements);
    for (const MemberCounts &member : session->members()->counts()) {
        QVERIFY2(member.stages > 0, "a member had nothing to do");
        QVERIFY(member.inVain <= found.stageMeasurements / 4);
    }
}

void TestPool::search_stopped_isCancelled()
{
    const Network net = network("squeezenet");
    FakeHardware hardware;
    hardware.delay = std::chrono::milliseconds(1);
    const auto session = take(take(fakePool(2, hardware))->open(net.graph));
    std::stop_source stop;
    SearchOptions options = pruned();
    options.clock = {}; // progress is reported now and then
    const auto found = searchSchedule(
        *net.graph, net.blocks, *session, options, [&](const SearchProgress &) { stop.request_stop(); },
        stop.get_token());
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::Cancelled);
}

void TestPool::commonStages_withinSpread_nobodyIsLeftOut()
{
    const auto leftOut = take(membersToLeaveOut({{"a", {100, 50, 20}}, {"b", {105, 49, 20.5}}, {"c", {99, 53, 21}}}));
    QVERIFY(leftOut.empty());
}

void TestPool::commonStages_severalDisagree_eachIsNamed()
{
    const auto leftOut = take(membersToLeaveOut({{"a", {100, 50, 20}},
                                                 {"b", {200, 100, 40}},
                                                 {"c", {101, 50, 20}},
                                                 {"d", {120, 60, 24}},
                                                 {"e", {100, 50, 0}}}));
    QCOMPARE(leftOut.size(), std::size_t{2});
    QCOMPARE(leftOut[0].member, std::size_t{1});
    QCOMPARE(leftOut[1].member, std::size_t{3});
}

void TestPool::makePool_unequal_isRefused_data()
{
    QTest::addColumn<QStringList>("members");
    QTest::addColumn<QString>("reason");
    QTest::newRow("one") << QStringList{"v100"} << "at least two members";
    QTest::newRow("unequal") << QStringList{"v100", "k80"} << "are not equal: sim:v100 is";
    QTest::newRow("precision") << QStringList{"v100", "v100:fp16"} << "are not equal";
}

void TestPool::makePool_unequal_isRefused()
{
    QFETCH(const QStringList, members);
    QFETCH(const QString, reason);
    std::vector<std::string> ids;
    for (const QString &member : members)
        ids.push_back(member.toStdString());
    const auto pool = makePool("pool", ids, [](const std::string &id) { return openSimulatedDevice(id); });
    QVERIFY(!pool);
    QVERIFY(pool.error().code == ErrorCode::WrongUse);
    QVERIFY2(pool.error().message.find(reason.toStdString()) != std::string::npos, pool.error().message.c_str());
    if (members.size() > 1)
        QVERIFY2(pool.error().remedy.find("stagecraft-cli specialize MODEL --devices pool ") != std::string::npos,
                 pool.error().remedy.c_str());
}

void TestPool::poolFile_comments_doNotCount()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("lab.pool");
    writeFile(path, "# ours\n  sim:v100\n\nsim:v100 # the second\n");
    QVERIFY(take(readPoolFile(path.toStdString())) == (std::vector<std::string>{"sim:v100", "sim:v100"}));
}

void TestPool::poolFile_changed_isTakenAsFarAsItIsRight()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("lab.pool").toStdString();
    QVERIFY(membersNow(path).ids.empty());
    QCOMPARE(membersNow(path).wrong.size(), std::size_t{1});
    writeFile(folder.filePath("lab.pool"), "sim:v100\npool:other\ncpu # here\n");
    const PoolMembers now = membersNow(path);
    QVERIFY(now.ids == (std::vector<std::string>{"sim:v100", "cpu"}));
    QCOMPARE(now.wrong.size(), std::size_t{1});
    QVERIFY2(now.wrong.front().starts_with(path + ":2: pool:other is not one device"), now.wrong.front().c_str());
    QCOMPARE(lineOfMember(path, "cpu"), path + ":3");
    QCOMPARE(lineOfMember(path, "gpu:0"), path);
}

void TestPool::poolFile_wrongLine_isNamed()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("lab.pool");
    writeFile(path, "sim:v100\npool:other\n");
    const auto members = readPoolFile(path.toStdString());
    QVERIFY(!members);
    QCOMPARE(QString::fromStdString(members.error().context.front()), path + ":2");
}

STAGECRAFT_SUITE(TestPool)

} // namespace tst_pool
#include "tst_pool.moc"
