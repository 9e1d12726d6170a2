// The time limit of a job of Slurm, which is a minute at least: a suite of its own, beside which others run.

#include "faulty_device.h"

#include "device/worker/transports/slurm_transport.h"
#include "support/slurm_cluster.h"
#include "support/suite.h"

#include <QTest>

#include <future>

using namespace stagecraft;
using namespace stagecraft::test;
using std::chrono::milliseconds;

namespace tst_slurm_limit {

class TestSlurmLimit : public QObject {
    Q_OBJECT

private slots:
    void measureStage_timeLimit_isNamedAndAskedAgain();
};

void TestSlurmLimit::measureStage_timeLimit_isNamedAndAskedAgain()
{
    const SlurmCluster cluster;
    if (!cluster.whyNot().isEmpty())
        QSKIP(qPrintable(cluster.whyNot()));
    const auto graph = behaviours();
    Told told;
    WorkerOptions options = faulty();
    options.silence = milliseconds(30'000);
    options.stageDeadline = milliseconds(600'000);
    options.transport =
        worker::slurmTransport(take(worker::slurmJobFrom("test:time=1")),
                               take(worker::remoteWorker(testProgramPath("faulty-worker").toStdString())));
    options.command.clear();
    options.tell = told.listener();
    const auto session = take(makeWorkerDevice("faulty", options, "slurm:test:time=1/faulty")->open(graph));
    std::stop_source stop;
    auto asked = std::async(std::launch::async,
                            [&] { return session->stageLatency(stageOf(*graph, "slow"), stop.get_token()); });
    QTRY_COMPARE_WITH_TIMEOUT(told.count("slow begins"), 2, 280'000);
    stop.request_stop();
    QVERIFY(asked.get().error().code == ErrorCode::Cancelled);
    QVERIFY2(told.has("the time limit of the job in partition test was reached; stage {slow} is asked for again"),
             told.text().c_str());
    QVERIFY2(told.has("slurm:PARTITION:time=MINUTES/DEVICE"), told.text().c_str());
}

STAGECRAFT_SUITE(TestSlurmLimit)

} // namespace tst_slurm_limit
#include "tst_slurm_limit.moc"
