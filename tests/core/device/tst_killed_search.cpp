// A search with the latency store is killed repeatedly during measurements: nothing is measured twice.

#include "device/stored_session.h"
#include "search/search.h"
#include "support/graph_making.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

// Takes a millisecond per stage, and logs each stage when it starts.
class LoggingSession : public DeviceSession {
public:
    LoggingSession(std::shared_ptr<const Graph> graph, const QString &log)
        : m_graph(std::move(graph)), m_signer(*m_graph), m_source(*m_graph), m_log(log)
    {
        if (!m_log.open(QIODevice::Append | QIODevice::Unbuffered))
            qFatal("no log");
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        m_log.write((m_signer.sign(question.stage).toHex() + '\n').c_str());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return m_source.stageLatency(question, std::move(stop));
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
    void searchSchedule_killedAndRestarted_repeatsAtMostOneMeasurement();
};

void TestKilledSearch::searchSchedule_killedAndRestarted_repeatsAtMostOneMeasurement()
{
    RandomGraphOptions options;
    options.operators = 14;
    options.density = 0.12;
    const auto graph = std::make_shared<const Graph>(randomGraph(7, options));
    const Blocks blocks = consecutiveBlocks(*graph, 1);
    QTemporaryDir folder;
    const QString log = folder.filePath("log");
    const auto search = [&] {
        DeviceInfo device;
        device.id = "cpu";
        device.title = "X";
        device.fingerprint = "cpu;model=x;";
        auto store = LatencyStore::open(folder.filePath("latencies.sqlite").toStdString());
        if (!store)
            _exit(2);
        const auto session =
            storedSession(std::make_unique<LoggingSession>(graph, log), graph, device, std::move(*store));
        return searchSchedule(*graph, blocks, *session);
    };
    constexpr int kKills = 8;
    for (int kill = 0; kill < kKills; ++kill) {
        const auto before = linesOf(log);
        const std::set<QByteArray> known(before.begin(), before.end());
        const pid_t child = fork();
        if (child == 0) {
            (void)search();
            _exit(0);
        }
        const auto watchdog = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (linesOf(log).size() < before.size() + 4 && std::chrono::steady_clock::now() < watchdog)
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        ::kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY2(WIFSIGNALED(status), "the search was over before it was killed");
        const auto after = linesOf(log);
        const auto repeated = std::count_if(after.begin() + before.size(), after.end(),
                                            [&](const QByteArray &line) { return known.contains(line); });
        QVERIFY2(repeated <= 1, qPrintable(QString::number(repeated)));
    }

    // Runs to the end: the schedule is the same as without interruption, and only new measurements count.
    const auto before = linesOf(log).size();
    const auto result = search();
    QVERIFY(result);
    SharedDevice undisturbed(*graph);
    const auto expected = searchSchedule(*graph, blocks, undisturbed);
    QCOMPARE(*result->schedule.latencyUs(), *expected->schedule.latencyUs());
    const auto all = linesOf(log);
    const std::set<QByteArray> distinct(all.begin(), all.end());
    QVERIFY(all.size() - static_cast<qsizetype>(distinct.size()) <= kKills);
    QCOMPARE(result->schedule.search.stageMeasurements, static_cast<std::int64_t>(all.size() - before));
    QVERIFY(result->schedule.search.cacheHits >= 4 * kKills - kKills);

    // With a full store nothing is measured.
    const auto again = search();
    QVERIFY(again);
    QCOMPARE(again->schedule.search.stageMeasurements, std::int64_t{0});
    QCOMPARE(linesOf(log).size(), all.size());
}

QTEST_GUILESS_MAIN(TestKilledSearch)
#include "tst_killed_search.moc"
