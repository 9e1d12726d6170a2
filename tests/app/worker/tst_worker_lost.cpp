// Workers and devices that are lost, late or in use elsewhere: messages, and that measuring continues.

#include "device/executing/device_lock.h"
#include "faulty_device.h"
#include "support/suite.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;
using std::chrono::milliseconds;

namespace tst_worker_lost {

class TestWorkerLost : public QObject {
    Q_OBJECT

private slots:
    void measureStage_lostWorker_namesTheStageAndGoesOn_data();
    void measureStage_lostWorker_namesTheStageAndGoesOn();
    void measureStage_workerKilledBetweenRequests_isReplaced();
    void measureStage_workerLostOnce_isAskedAgain();
    void measureStage_workerLostEachTime_isGivenUp_data();
    void measureStage_workerLostEachTime_isGivenUp();
    void measureStage_workerStopped_isWaitedFor();
    void measureStage_programStopped_takesTheAnswer();
    void measureStage_deviceBackAfterAMoment_goesOn();
    void measureStage_deviceGone_saysSoAtOnce();
    void measureWhole_lostWorker_isAskedAgain();
    void measureWhole_workerLostTwice_saysWhatWasDone();
    void measureStage_stopRequested_isCancelledAndTheWorkerLives();
    void measureStage_stuckWorkerAndStop_isCancelled();
    void measureStage_deviceInUseElsewhere_waitsBeyondTheDeadline();
    void measureStage_deviceInUseElsewhere_tellsForWhomAndIsStopped();
};

void TestWorkerLost::measureStage_lostWorker_namesTheStageAndGoesOn_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("reason");
    QTest::newRow("crash") << "crash"
                           << "signal 11";
    QTest::newRow("exit") << "exit"
                          << "ended with status 3";
    QTest::newRow("hang") << "hang"
                          << "longer than 1.5";
    QTest::newRow("broken device") << "break"
                                   << "an illegal memory access";
}

void TestWorkerLost::measureStage_lostWorker_namesTheStageAndGoesOn()
{
    QFETCH(QString, stage);
    QFETCH(QString, reason);
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    const Stage fatal = stageOf(*graph, qPrintable(stage));
    const auto sample = session->stageLatency(fatal, {});
    QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(sample.error().context.front(), "stage {" + stage.toStdString() + "}");
    const QString said = QString::fromStdString(sample.error().message);
    QVERIFY2(said.contains(reason), qPrintable(said));
    if (stage != "break") // break is reported and does not kill the worker
        QVERIFY2(said.contains("while it prepared operator " + stage), qPrintable(said));
    const auto next = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(next && next->timing.runs != worker);
    // The stage is not tried again: that would lose this worker, too.
    QVERIFY(!session->stageLatency(fatal, {}));
    QCOMPARE(session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs, next->timing.runs);
}

void TestWorkerLost::measureStage_workerKilledBetweenRequests_isReplaced()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    kill(worker, SIGKILL);
    siginfo_t ended{};
    QCOMPARE(waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOWAIT), 0);
    const auto next = session->stageLatency(stageOf(*graph, "fine"), {}); // no stage is to blame
    QVERIFY(next && next->timing.runs != worker);
}

void TestWorkerLost::measureStage_workerLostOnce_isAskedAgain()
{
    const QTemporaryDir folder;
    WorkerOptions options = faulty();
    QStringList told;
    options.tell = [&](const std::string &text) { told << QString::fromStdString(text); };
    options.command.insert(options.command.end(), {"", folder.filePath("opened").toStdString(), "0"});
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(session->stageLatency(stageOf(*graph, "once"), {}));
    QCOMPARE(QFileInfo(folder.filePath("opened")).size(), 2);
    QCOMPARE(
        told,
        QStringList{
            "faulty: the worker ended with status 3 while it prepared operator once; stage {once} is asked for again"});
}

void TestWorkerLost::measureStage_workerLostEachTime_isGivenUp_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<int>("times");
    QTest::newRow("crash") << "crash" << 3;
    QTest::newRow("stuck") << "hang" << 2;
    QTest::newRow("broken device") << "break" << 2;
}

void TestWorkerLost::measureStage_workerLostEachTime_isGivenUp()
{
    QFETCH(const QString, stage);
    QFETCH(const int, times);
    const QTemporaryDir folder;
    WorkerOptions options = faulty();
    options.stageDeadline = milliseconds(300);
    options.command.insert(options.command.end(), {"", folder.filePath("opened").toStdString(), "0"});
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    const auto sample = session->stageLatency(stageOf(*graph, qPrintable(stage)), {});
    QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(QFileInfo(folder.filePath("opened")).size(), times);
    const QString said = QString::fromStdString(sample.error().remedy);
    QCOMPARE(said, QStringLiteral("It was tried %1 times, each with a new worker").arg(times));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

// As on a machine in standby: there is no answer because nothing runs.
void TestWorkerLost::measureStage_workerStopped_isWaitedFor()
{
    WorkerOptions options = faulty();
    options.stageDeadline = milliseconds(700);
    options.silence = milliseconds(700);
    std::string told;
    std::promise<void> noticed;
    options.tell = [&](const std::string &text) {
        if (told.empty())
            noticed.set_value();
        told = text;
    };
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    const auto goesOn = std::async(std::launch::async, [&] {
        noticed.get_future().wait();
        kill(worker, SIGCONT);
    });
    const auto sample = session->stageLatency(stageOf(*graph, "stop"), {});
    QVERIFY(sample);
    QCOMPARE(sample->timing.runs, worker);
    QVERIFY2(told.ends_with("it goes on with kill -CONT " + std::to_string(worker)), told.c_str());
}

// The worker's answer is queued after its heartbeats.
void TestWorkerLost::measureStage_programStopped_takesTheAnswer()
{
    WorkerOptions options = faulty();
    options.silence = milliseconds(1000);
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    const pid_t program = getpid();
    const pid_t other = fork();
    if (other == 0) {
        usleep(200'000);
        kill(program, SIGSTOP);
        usleep(1'800'000); // longer than the silence limit and the deadline
        kill(program, SIGCONT);
        _exit(0);
    }
    const auto sample = session->stageLatency(stageOf(*graph, "nap"), {});
    waitpid(other, nullptr, 0);
    QVERIFY2(sample, sample ? "" : sample.error().message.c_str());
    QCOMPARE(sample->timing.runs, worker);
}

void TestWorkerLost::measureStage_deviceBackAfterAMoment_goesOn()
{
    const QTemporaryDir folder;
    WorkerOptions options = faulty();
    options.command.insert(options.command.end(), {"", folder.filePath("opened").toStdString(), "1"});
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(!session->stageLatency(stageOf(*graph, "crash"), {}));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

void TestWorkerLost::measureStage_deviceGone_saysSoAtOnce()
{
    const QTemporaryDir folder;
    const QString opened = folder.filePath("opened");
    WorkerOptions options = faulty();
    options.command.insert(options.command.end(), {"", opened.toStdString(), "100"});
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(!session->stageLatency(stageOf(*graph, "crash"), {}));
    for (const char *stage : {"fine", "print"}) { // neither is the cause
        const auto sample = session->stageLatency(stageOf(*graph, stage), {});
        QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
        QCOMPARE(sample.error().message, std::string("the GPU has fallen off the bus"));
        QCOMPARE(sample.error().context, std::vector<std::string>{"starting faulty again"});
    }
    QCOMPARE(QFileInfo(opened).size(), 1 + 3); // it is not waited for a second time
}

// For example after a long search, whose result would be lost.
void TestWorkerLost::measureWhole_lostWorker_isAskedAgain()
{
    const QTemporaryDir folder;
    WorkerOptions options = faulty();
    options.command.insert(options.command.end(), {"", folder.filePath("opened").toStdString(), "0"});
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    TimedSchedule schedule;
    schedule.stages = {stageOf(*graph, "exit"), stageOf(*graph, "fine")};
    const auto whole = session->measureWhole(schedule, {});
    QVERIFY(whole && whole->timing.meanUs == 2);
    QCOMPARE(QFileInfo(folder.filePath("opened")).size(), 2);
}

void TestWorkerLost::measureWhole_workerLostTwice_saysWhatWasDone()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    TimedSchedule schedule;
    schedule.stages = {stageOf(*graph, "crash")};
    const auto whole = session->measureWhole(schedule, {});
    QVERIFY(!whole && whole.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(whole.error().context, std::vector<std::string>{"measuring the whole schedule on faulty"});
}

void TestWorkerLost::measureStage_stopRequested_isCancelledAndTheWorkerLives()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs;
    std::stop_source stop;
    std::jthread later([&] {
        std::this_thread::sleep_for(milliseconds(200));
        stop.request_stop();
    });
    const auto sample = session->stageLatency(stageOf(*graph, "slow"), stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
    QCOMPARE(session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs, worker);
}

void TestWorkerLost::measureStage_stuckWorkerAndStop_isCancelled()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    std::stop_source stop;
    stop.request_stop();
    const auto sample = session->stageLatency(stageOf(*graph, "hang"), stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

void TestWorkerLost::measureStage_deviceInUseElsewhere_waitsBeyondTheDeadline()
{
    const std::string hardware = "test-worker-" + std::to_string(QCoreApplication::applicationPid());
    const auto graph = behaviours();
    WorkerOptions options = faulty();
    options.command.push_back(hardware);
    const auto session = take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
    auto elsewhere = std::make_unique<DeviceLock>(hardware, std::stop_token());
    const milliseconds held = options.stageDeadline + milliseconds(700);
    const auto release = std::async(std::launch::async, [&] {
        std::this_thread::sleep_for(held);
        elsewhere.reset();
    });
    const auto begin = std::chrono::steady_clock::now();
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
    QVERIFY(std::chrono::steady_clock::now() - begin >= options.stageDeadline);
    release.wait();
    // The deadline starts with its turn.
    QVERIFY(!session->stageLatency(stageOf(*graph, "hang"), {}));

    elsewhere = std::make_unique<DeviceLock>(hardware, std::stop_token());
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = session->stageLatency(stageOf(*graph, "fine"), stop.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    std::filesystem::remove(DeviceLock::holderFile(hardware));
    std::filesystem::remove(DeviceLock::queueFile(hardware));
}

void TestWorkerLost::measureStage_deviceInUseElsewhere_tellsForWhomAndIsStopped()
{
    const std::string hardware = "test-wait-" + std::to_string(QCoreApplication::applicationPid());
    const auto graph = behaviours();
    WorkerOptions options = faulty();
    options.command.push_back(hardware);
    const auto device = makeWorkerDevice("faulty", options);
    std::vector<std::optional<DeviceWait>> told;
    std::stop_source stop;
    device->onWaiting([&](const std::optional<DeviceWait> &wait) {
        told.push_back(wait);
        if (told.size() == 2)
            stop.request_stop();
    });
    const auto session = take(device->open(graph));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
    QVERIFY(told.empty()); // nobody else measures
    {
        const DeviceLock elsewhere(hardware, std::stop_token());
        const auto stopped = session->stageLatency(stageOf(*graph, "fine"), stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
    QCOMPARE(told.size(), std::size_t{3});
    QVERIFY(told[0] && told[1] && !told[2]); // twice that it waits, then that this is over
    QCOMPARE(told[0]->device, std::string("faulty"));
    QVERIFY(told[0]->isOwn && told[1]->seconds > told[0]->seconds); // this test has the turn
    const std::string number = "(process " + std::to_string(QCoreApplication::applicationPid()) + ")";
    QVERIFY2(told[0]->holder.ends_with(number), told[0]->holder.c_str());
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {})); // the worker lives
    QCOMPARE(told.size(), std::size_t{3});
    std::filesystem::remove(DeviceLock::holderFile(hardware));
    std::filesystem::remove(DeviceLock::queueFile(hardware));
}

STAGECRAFT_SUITE(TestWorkerLost)

} // namespace tst_worker_lost
#include "tst_worker_lost.moc"
