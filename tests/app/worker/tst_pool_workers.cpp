// A pool of real worker processes, one of which is killed while a search runs.

#include "device/forwarding_session.h"
#include "device/pool/pool_device.h"
#include "faulty_device.h"
#include "model/built_in.h"
#include "search/stages/search.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <set>
#include <sys/types.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pool_workers {

namespace {

// What the workers answered, of all members together. The runs of a timing are the id of the worker's process.
class Answers {
public:
    void add(const std::string &member, pid_t worker)
    {
        const std::scoped_lock lock(m_mutex);
        m_workers[member].insert(worker);
        m_newest[member] = worker;
        ++m_answers;
    }
    // Once there were so many answers: the worker of the member that asks next, before it is asked. Which one that is
    // depends on how fast the members are.
    void killAfter(std::int64_t answers) { m_killsAfter = answers; }
    void aboutToAsk(const std::string &member)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_killsAfter == 0 || m_answers < m_killsAfter || !m_killed.empty() || !m_newest.contains(member))
            return;
        QCOMPARE(kill(m_newest.at(member), SIGKILL), 0);
        m_killed = member;
    }
    [[nodiscard]] std::string killed() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_killed;
    }
    [[nodiscard]] std::size_t workersOf(const std::string &member) const
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_workers.find(member);
        return found != m_workers.end() ? found->second.size() : 0;
    }

private:
    mutable std::mutex m_mutex; // protects what follows
    std::map<std::string, std::set<pid_t>> m_workers;
    std::map<std::string, pid_t> m_newest;
    std::int64_t m_answers = 0;
    std::int64_t m_killsAfter = 0; // 0: never
    std::string m_killed;          // the member
};

class WatchedSession : public ForwardingSession {
public:
    WatchedSession(std::unique_ptr<DeviceSession> session, std::string id, Answers &answers)
        : ForwardingSession(std::move(session)), m_id(std::move(id)), m_answers(answers)
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        m_answers.aboutToAsk(m_id);
        auto answer = ForwardingSession::stageLatency(question, stop);
        if (answer)
            m_answers.add(m_id, answer->timing.runs);
        return answer;
    }

private:
    std::string m_id;
    Answers &m_answers;
};

class WatchedMember : public Device {
public:
    WatchedMember(std::string id, Answers &answers)
        : m_device(makeWorkerDevice("faulty", faulty())), m_id(std::move(id)), m_answers(answers)
    {
    }

    DeviceInfo info() const override
    {
        DeviceInfo info = m_device->info();
        info.id = m_id;
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        TRY_AS(auto session, m_device->open(std::move(graph)));
        return std::make_unique<WatchedSession>(std::move(session), m_id, m_answers);
    }

private:
    std::unique_ptr<Device> m_device;
    std::string m_id;
    Answers &m_answers;
};

Result<std::unique_ptr<Device>> poolOf(const std::vector<std::string> &ids, Answers &answers)
{
    return makePool("workers", ids, [&answers](const std::string &id) -> Result<std::unique_ptr<Device>> {
        return std::make_unique<WatchedMember>(id, answers);
    });
}

std::int64_t timesLost(const DeviceSession &session, const std::string &member)
{
    std::int64_t times = 0;
    for (const MemberCounts &counts : session.members()->counts())
        times += counts.device == member ? counts.timesLost : 0;
    return times;
}

SearchOptions pruned()
{
    SearchOptions options;
    options.r = 2;
    options.s = 3;
    options.clock.read = [] { return SearchClock::Time{}; }; // how much it asks for depends on how long answers take
    return options;
}

} // namespace

class TestPoolWorkers : public QObject {
    Q_OBJECT

private slots:
    // Equal latencies of all stages: the search has to look at many before it proves anything.
    void search_workerKilled_provesTheSameAndTimesEachStageOnce()
    {
        SourceGraph source = take(builtInNetwork("inception_v3"));
        const auto graph = std::make_shared<const Graph>(std::move(source.graph));
        Answers ofOne;
        const auto alone = take(WatchedMember("a", ofOne).open(graph));
        const auto expected = take(searchSchedule(*graph, source.blocks, *alone, pruned(), {}, {}));

        Answers answers;
        const auto session = take(take(poolOf({"a", "b", "c"}, answers))->open(graph));
        answers.killAfter(expected.schedule.search.stageMeasurements / 2);
        const auto found = take(searchSchedule(*graph, source.blocks, *session, pruned(), {}, {}));
        const std::string killed = answers.killed();
        QVERIFY(!killed.empty());
        QVERIFY(answers.workersOf(killed) > 1 || timesLost(*session, killed) > 0);
        QVERIFY(found.schedule.stages == expected.schedule.stages);
        QCOMPARE(found.schedule.search.sumUs, expected.schedule.search.sumUs);
        QCOMPARE(found.schedule.search.gap, expected.schedule.search.gap);
        QVERIFY(found.schedule.search.termination == expected.schedule.search.termination);
        QCOMPARE(found.schedule.search.stageMeasurements, expected.schedule.search.stageMeasurements);
        std::int64_t stages = 0;
        for (const MemberCounts &member : session->members()->counts())
            stages += member.stages;
        QCOMPARE(stages, found.schedule.search.stageMeasurements);
    }
};

STAGECRAFT_SUITE(TestPoolWorkers)

} // namespace tst_pool_workers
#include "tst_pool_workers.moc"
