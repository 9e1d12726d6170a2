// A search with the latency store is killed repeatedly during measurements: at most the stage that was being measured
// is lost. What is measured again although it is stored, because it was disturbed, is counted as such.

#include "measure/stored_session.h"
#include "search/stages/search.h"
#include "support/graph_making.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <ctime>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_killed_search {

namespace {

// The kernel kills this process after that time, however busy the machine is.
void killAfter(std::chrono::microseconds time)
{
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t timer{};
    itimerspec when{};
    when.it_value.tv_nsec = std::chrono::nanoseconds(time).count();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, nullptr) != 0)
        qFatal("no timer");
}

// When a process is killed: so long after the start of its measurement of that number, counted from 1.
struct Death {
    int measurement = 0; // 0: never
    std::chrono::microseconds after{1};
};

// Takes a millisecond per stage, and logs each stage when it starts. On a busy machine every latency is disturbed.
class LoggingSession : public DeviceSession {
public:
    LoggingSession(std::shared_ptr<const Graph> graph, const QString &log, bool isBusy, Death death)
        : m_graph(std::move(graph)), m_signer(*m_graph), m_source(*m_graph), m_log(log), m_isBusy(isBusy),
          m_death(death)
    {
        if (!m_log.open(QIODevice::Append | QIODevice::Unbuffered))
            qFatal("no log");
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        m_log.write((m_signer.sign(question.stage).toHex() + '\n').c_str());
        if (++m_measurements == m_death.measurement)
            killAfter(m_death.after);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        auto latency = m_source.stageLatency(question, std::move(stop));
        if (latency && m_isBusy) {
            latency->timing.meanUs = latency->timing.latencyUs;
            latency->timing.stddevUs = latency->timing.latencyUs;
            latency->timing.runs = 40;
        }
        return latency;
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::WrongUse, "not asked for");
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return Timeline{}; }

private:
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    SharedDevice m_source;
    QFile m_log;
    bool m_isBusy;
    Death m_death;
    int m_measurements = 0;
};

QList<QByteArray> linesOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QList<QByteArray> lines = file.readAll().split('\n');
    lines.removeLast(); // after the last line end
    return lines;
}

} // namespace

class TestKilledSearch : public QObject {
    Q_OBJECT

private slots:
    void searchSchedule_killedAndRestarted_losesAtMostOneMeasurement_data();
    void searchSchedule_killedAndRestarted_losesAtMostOneMeasurement();
};

void TestKilledSearch::searchSchedule_killedAndRestarted_losesAtMostOneMeasurement_data()
{
    QTest::addColumn<bool>("isBusy");
    QTest::newRow("machine at rest") << false;
    QTest::newRow("busy machine") << true;
}

void TestKilledSearch::searchSchedule_killedAndRestarted_losesAtMostOneMeasurement()
{
    QFETCH(const bool, isBusy);
    constexpr std::int64_t kMostRepeats = 8; // of disturbed latencies, as long as that does not help
    RandomGraphOptions options;
    options.operators = 14;
    options.density = 0.12;
    const auto graph = std::make_shared<const Graph>(randomGraph(7, options));
    const Blocks blocks = consecutiveBlocks(*graph, 1);
    QTemporaryDir folder;
    const QString log = folder.filePath("log");
    const std::string path = folder.filePath("latencies.sqlite").toStdString();
    DeviceInfo device;
    device.id = "cpu";
    device.title = "X";
    device.fingerprint = "cpu;model=x;";
    const auto search = [&](Death death = {}) {
        auto store = LatencyStore::open(path);
        if (!store)
            _exit(2);
        const auto session = storedSession(std::make_unique<LoggingSession>(graph, log, isBusy, death), graph, device,
                                           std::move(*store));
        return searchSchedule(*graph, blocks, *session);
    };
    // Stages that were measured, ever.
    const auto measured = [&] {
        const auto lines = linesOf(log);
        return std::set<QByteArray>(lines.begin(), lines.end());
    };
    const auto stored = [&] {
        std::set<QByteArray> signatures;
        auto store = LatencyStore::open(path);
        if (!store)
            return signatures;
        const auto latencies =
            store->latencies({device.fingerprint, device.title, device.id, graph->batch(), graph->name()});
        for (const auto &[signature, timing] : latencies.value())
            signatures.insert(QByteArray::fromStdString(signature));
        return signatures;
    };
    constexpr int kKills = 8;
    for (int kill = 0; kill < kKills; ++kill) {
        const auto before = measured().size();
        const pid_t child = fork();
        if (child == 0) {
            // While it measures or just after. What is disturbed is measured anew by each search.
            const auto repeated = isBusy ? kMostRepeats : 0;
            (void)search({static_cast<int>(repeated) + 4, std::chrono::microseconds(1 + 300 * kill)});
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY2(WIFSIGNALED(status), "the search was over before it was killed");
        QVERIFY(measured().size() >= before + 4 - 1);
        std::set<QByteArray> lost = measured();
        for (const QByteArray &signature : stored())
            lost.erase(signature);
        QVERIFY2(lost.size() <= 1, qPrintable(QString::number(lost.size())));
    }

    // Runs to the end: the schedule is the same as without interruption, and what is not stored is what is measured,
    // apart from disturbed latencies.
    const auto before = stored().size();
    const auto result = search();
    QVERIFY(result);
    SharedDevice undisturbed(*graph);
    const auto expected = searchSchedule(*graph, blocks, undisturbed);
    QCOMPARE(*result->schedule.latencyUs(), *expected->schedule.latencyUs());
    const SearchRecord &record = result->schedule.search;
    QCOMPARE(stored(), measured());
    QCOMPARE(record.stageMeasurements - record.stagesRepeated, static_cast<std::int64_t>(stored().size() - before));
    QCOMPARE(record.stagesRepeated, isBusy ? kMostRepeats : 0);
    QVERIFY(record.cacheHits >= 4 * kKills - kKills - record.stagesRepeated);

    // With a full store only disturbed latencies are measured.
    const auto lines = linesOf(log).size();
    const auto again = search();
    QVERIFY(again);
    QCOMPARE(again->schedule.search.stageMeasurements, record.stagesRepeated);
    QCOMPARE(again->schedule.search.stagesRepeated, record.stagesRepeated);
    QCOMPARE(linesOf(log).size() - lines, static_cast<qsizetype>(record.stagesRepeated));
}

STAGECRAFT_SUITE(TestKilledSearch)

} // namespace tst_killed_search
#include "tst_killed_search.moc"
