// Devices behind srun: a cluster of Slurm on this machine, with the faulty worker.

#include "faulty_device.h"

#include "device/pool/pool_device.h"
#include "device/worker/transports/slurm_transport.h"
#include "support/slurm_cluster.h"
#include "support/stop_here.h"
#include "support/suite.h"

#include <QTest>

#include <atomic>
#include <future>

using namespace stagecraft;
using namespace stagecraft::test;
using std::chrono::milliseconds;

namespace tst_slurm_worker {

namespace {

WorkerOptions in(const std::string &job)
{
    WorkerOptions options = faulty();
    options.silence = milliseconds(30'000);
    options.stageDeadline = milliseconds(60'000); // Slurm may take its time
    options.transport = worker::slurmTransport(
        take(worker::slurmJobFrom(job)), take(worker::remoteWorker(testProgramPath("faulty-worker").toStdString())));
    options.command.clear();
    return options;
}

} // namespace

class TestSlurmWorker : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase() { m_cluster.reset(); }
    void cleanup();
    void measureStage_inAnAllocation_comesThroughExactly();
    void run_manyBytes_comeThrough();
    void info_whatSlurmRefuses_isNamed_data();
    void info_whatSlurmRefuses_isNamed();
    void info_noSrun_isNamed();
    void info_inTheQueue_isToldAndHasNoDeadline();
    void info_stoppedInTheQueue_leavesNoJob();
    void open_stoppedInTheQueue_leavesNoJob_data();
    void open_stoppedInTheQueue_leavesNoJob();
    void measureStage_jobCancelled_endsTheDevice();
    void measureStage_jobCancelledBefore_startsNoOther();
    void measureStage_jobPreempted_isAskedAgain();
    void measureStage_nodeVanishes_isAskedAgain();

private:
    std::unique_ptr<SlurmCluster> m_cluster;
};

void TestSlurmWorker::initTestCase()
{
    m_cluster = std::make_unique<SlurmCluster>();
    if (!m_cluster->whyNot().isEmpty())
        QSKIP(qPrintable(m_cluster->whyNot()));
}

void TestSlurmWorker::cleanup()
{
    QTRY_COMPARE(SlurmCluster::jobs(), QString()); // each worker leaves its allocation
}

void TestSlurmWorker::measureStage_inAnAllocation_comesThroughExactly()
{
    const auto graph = behaviours();
    const auto device = makeWorkerDevice("faulty", in("test:time=5,cpus=1"), "slurm:test:time=5,cpus=1/faulty");
    QVERIFY2(device->info().available, device->info().unavailableReason.c_str());
    QCOMPARE(device->info().fingerprint, std::string("f"));
    const auto session = take(device->open(graph));
    QCOMPARE(SlurmCluster::jobs(), QString("stagecraft RUNNING"));
    const auto sample = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(sample && sample->timing.meanUs == 1.5 && sample->timing.latencyUs == 1.25);
    QVERIFY(!session->stageLatency(stageOf(*graph, "refuse"), {}));
    const auto lost = session->stageLatency(stageOf(*graph, "crash"), {});
    QVERIFY(!lost);
    QVERIFY2(lost.error().message.find("the worker on partition test was killed by signal 11") != std::string::npos,
             lost.error().message.c_str());
}

void TestSlurmWorker::run_manyBytes_comeThrough()
{
    std::vector<float> values(300'000); // of every byte, newlines among them
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i) * 1.00001F;
    const HostTensor tensor{"t", Shape{{300, 1000}}, values};
    const auto outputs =
        runOn(*take(makeWorkerDevice("faulty", in("test"), "slurm:test/faulty")->open(behaviours())), {}, {tensor}, {});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QVERIFY(outputs->front().values == values);
}

void TestSlurmWorker::info_whatSlurmRefuses_isNamed_data()
{
    QTest::addColumn<QString>("job");
    QTest::addColumn<QString>("reason");
    QTest::newRow("partition") << "nope"
                               << "Slurm has no partition nope";
    QTest::newRow("resource") << "test:gres=gpu:9"
                              << "no such generic resource";
    QTest::newRow("feature") << "test:constraint=abc"
                             << "what the constraint asks for";
    QTest::newRow("node") << "test:nodelist=xyz"
                          << "no such node";
    QTest::newRow("memory") << "test:mem=99999G"
                            << "the memory that the job asks for";
}

void TestSlurmWorker::info_whatSlurmRefuses_isNamed()
{
    QFETCH(const QString, job);
    QFETCH(const QString, reason);
    const DeviceInfo info = makeWorkerDevice("faulty", in(job.toStdString()))->info();
    QVERIFY(!info.available);
    QVERIFY2(QString::fromStdString(info.unavailableReason).contains(reason), info.unavailableReason.c_str());
}

void TestSlurmWorker::info_noSrun_isNamed()
{
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const DeviceInfo info = makeWorkerDevice("faulty", in("test"))->info();
    qputenv("PATH", path);
    QVERIFY2(info.unavailableReason.find("no srun in PATH") != std::string::npos, info.unavailableReason.c_str());
}

void TestSlurmWorker::info_inTheQueue_isToldAndHasNoDeadline()
{
    auto held = std::make_unique<HeldNode>();
    Told reasons;
    std::atomic<double> seconds = 0;
    WorkerOptions options = in("test");
    options.stageDeadline = milliseconds(9000); // shorter than the wait is when it is told first
    options.onWaiting = [&, tell = reasons.listener()](const std::optional<DeviceWait> &wait) {
        if (wait) {
            seconds = wait->seconds;
            tell(wait->reason);
        }
    };
    auto made = std::async(std::launch::async,
                           [&] { return makeWorkerDevice("faulty", options, "slurm:test/faulty")->info(); });
    QTRY_VERIFY(reasons.has("in the queue of partition test (PENDING, "));
    held.reset();
    const DeviceInfo info = made.get();
    QVERIFY2(info.available, info.unavailableReason.c_str());
    QVERIFY(seconds > std::chrono::duration<double>(options.stageDeadline).count());
}

void TestSlurmWorker::info_stoppedInTheQueue_leavesNoJob()
{
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", in("test:cpus=1"), "slurm:test:cpus=1/faulty")->open(graph));
    QVERIFY(!session->stageLatency(stageOf(*graph, "exit"), {})); // the next request needs another allocation
    QTRY_COMPARE(SlurmCluster::jobs(), QString());
    const HeldNode held;
    std::stop_source stop;
    auto asked = std::async(std::launch::async,
                            [&] { return session->stageLatency(stageOf(*graph, "fine"), stop.get_token()); });
    QTRY_VERIFY(SlurmCluster::jobs().contains("stagecraft PENDING"));
    stop.request_stop();
    const auto stopped = asked.get();
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    QTRY_COMPARE(SlurmCluster::jobs(), QString("other RUNNING"));
}

void TestSlurmWorker::open_stoppedInTheQueue_leavesNoJob_data()
{
    QTest::addColumn<QStringList>("devices");
    QTest::newRow("one") << QStringList{"slurm:test:cpus=1/faulty"};
    QTest::newRow("pool") << QStringList{"slurm:test:cpus=1/faulty", "slurm:test:cpus=1,time=9/faulty"};
}

void TestSlurmWorker::open_stoppedInTheQueue_leavesNoJob()
{
    QFETCH(const QStringList, devices);
    const HeldNode held;
    const auto find = [](const std::string &id) -> Result<std::unique_ptr<Device>> {
        const std::string job = id.substr(6, id.find('/') - 6);
        return makeWorkerDevice("faulty", in(job), id);
    };
    std::stop_source stop;
    auto opened = std::async(std::launch::async, [&]() -> Result<std::unique_ptr<DeviceSession>> {
        const StopHere whileOpening(stop.get_token());
        std::vector<std::string> members;
        for (const QString &device : devices)
            members.push_back(device.toStdString());
        TRY_AS(const auto device, members.size() == 1 ? find(members.front()) : makePool("pool", members, find));
        return device->open(behaviours());
    });
    QTRY_COMPARE(SlurmCluster::jobs().count("stagecraft PENDING"), devices.size());
    stop.request_stop();
    const auto stopped = opened.get();
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
    QTRY_COMPARE(SlurmCluster::jobs(), QString("other RUNNING"));
}

void TestSlurmWorker::measureStage_jobCancelled_endsTheDevice()
{
    const auto graph = behaviours();
    Told told;
    WorkerOptions options = in("test");
    options.tell = told.listener();
    const auto session = take(makeWorkerDevice("faulty", options, "slurm:test/faulty")->open(graph));
    auto asked = std::async(std::launch::async, [&] { return session->stageLatency(stageOf(*graph, "slow"), {}); });
    QTRY_VERIFY(told.has("slow begins")); // else another job is started
    SlurmCluster::ask("scancel", {"--name=stagecraft"});
    const auto lost = asked.get();
    QVERIFY(!lost);
    QVERIFY2(lost.error().message.find("the job in partition test was cancelled") != std::string::npos,
             lost.error().message.c_str());
    const auto again = session->stageLatency(stageOf(*graph, "fine"), {}); // whoever cancelled it meant it
    QVERIFY(!again && again.error().message.find("was cancelled") != std::string::npos);
}

void TestSlurmWorker::measureStage_jobCancelledBefore_startsNoOther()
{
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", in("test"), "slurm:test/faulty")->open(graph));
    SlurmCluster::ask("scancel", {"--name=stagecraft"});
    QTRY_COMPARE(SlurmCluster::jobs(), QString());
    QTest::qWait(1000); // srun ends a moment after its job
    const auto lost = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(!lost && session->isLost());
    QVERIFY2(lost.error().message.find("was cancelled") != std::string::npos, lost.error().message.c_str());
    QCOMPARE(SlurmCluster::jobs(), QString());
}

void TestSlurmWorker::measureStage_jobPreempted_isAskedAgain()
{
    const auto graph = behaviours();
    Told told;
    WorkerOptions options = in("test");
    options.tell = told.listener();
    const auto session = take(makeWorkerDevice("faulty", options, "slurm:test/faulty")->open(graph));
    std::stop_source stop;
    auto asked = std::async(std::launch::async,
                            [&] { return session->stageLatency(stageOf(*graph, "slow"), stop.get_token()); });
    QTRY_VERIFY(told.has("slow begins"));
    SlurmCluster::ask("srun", {"--partition=urgent", "--exclusive", "true"});
    QTRY_COMPARE(told.count("slow begins"), 2);
    QVERIFY2(told.has("the job in partition test gave way to another one; stage {slow} is asked for again"),
             told.text().c_str());
    stop.request_stop();
    QVERIFY(asked.get().error().code == ErrorCode::Cancelled);
}

void TestSlurmWorker::measureStage_nodeVanishes_isAskedAgain()
{
    const auto graph = behaviours();
    Told told;
    WorkerOptions options = in("test");
    options.tell = told.listener();
    const auto session = take(makeWorkerDevice("faulty", options, "slurm:test/faulty")->open(graph));
    std::stop_source stop;
    auto asked = std::async(std::launch::async,
                            [&] { return session->stageLatency(stageOf(*graph, "slow"), stop.get_token()); });
    QTRY_VERIFY(told.has("slow begins"));
    m_cluster->endNode();
    QTRY_VERIFY(told.has("stage {slow} is asked for again"));
    QVERIFY(m_cluster->startNode());
    QTRY_COMPARE(told.count("slow begins"), 2); // on the node that came back
    stop.request_stop();
    const auto stopped = asked.get();
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

STAGECRAFT_SUITE(TestSlurmWorker)

} // namespace tst_slurm_worker
#include "tst_slurm_worker.moc"
