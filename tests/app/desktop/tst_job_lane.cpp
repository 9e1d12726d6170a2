// One background thread, one piece of work at a time: what is delivered, what is dropped, what waits.

#include "desktop/work/job_lane.h"
#include "support/stop_here.h"
#include "support/suite.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <memory>
#include <new>
#include <semaphore>
#include <stdexcept>
#include <thread>

using namespace stagecraft;

namespace tst_job_lane {

class TestJobLane : public QObject {
    Q_OBJECT

private slots:
    void start_work_deliversOnTheStartingThread();
    void report_beforeTheEnd_comesInOrder();
    void start_again_dropsTheOldRun();
    void stop_running_deliversWhatItHas();
    void stop_running_endsWhatTakesNoToken();
    void cancel_running_dropsEverything();
    void cancel_running_doesNotWaitForTheWork();
    void destroy_running_endsTheWork();
    void start_fromDelivery_runsNext();
    void start_workThatThrows_saysSoAndGoesOn();
};

namespace {

void waitFor(const std::stop_token &stop)
{
    std::binary_semaphore requested(0);
    const std::stop_callback tell(stop, [&] { requested.release(); });
    requested.acquire();
}

} // namespace

void TestJobLane::start_workThatThrows_saysSoAndGoesOn()
{
    JobLane lane;
    QSignalSpy failed(&lane, &JobLane::workFailed);
    lane.start([](const JobLane::Context &) -> JobLane::Delivery { throw std::bad_alloc(); });
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed.front().front().toString().startsWith("there is not enough memory"));
    QVERIFY(!lane.isBusy());
    lane.start([](const JobLane::Context &) -> JobLane::Delivery { throw std::runtime_error("a fault"); });
    QTRY_COMPARE(failed.count(), 2);
    QVERIFY(failed.back().front().toString().contains("a fault"));
    bool delivered = false;
    lane.start([&](const JobLane::Context &) -> JobLane::Delivery { return [&] { delivered = true; }; });
    QTRY_VERIFY(delivered);
}

void TestJobLane::start_work_deliversOnTheStartingThread()
{
    JobLane lane;
    QSignalSpy busy(&lane, &JobLane::busyChanged);
    std::thread::id worker;
    std::thread::id delivered;
    lane.start([&](const JobLane::Context &) {
        worker = std::this_thread::get_id();
        return [&] { delivered = std::this_thread::get_id(); };
    });
    QVERIFY(lane.isBusy());
    QTRY_VERIFY(!lane.isBusy());
    QVERIFY(delivered == std::this_thread::get_id());
    QVERIFY(worker != delivered);
    QCOMPARE(busy.count(), 2);
}

void TestJobLane::report_beforeTheEnd_comesInOrder()
{
    JobLane lane;
    std::vector<int> seen;
    lane.start([&](const JobLane::Context &context) {
        for (int i = 0; i < 100; ++i)
            context.report([&seen, i] { seen.push_back(i); });
        return [&seen] { seen.push_back(100); };
    });
    QTRY_VERIFY(!lane.isBusy());
    QCOMPARE(seen.size(), std::size_t{101});
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
}

void TestJobLane::start_again_dropsTheOldRun()
{
    JobLane lane;
    int old = 0;
    int fresh = 0;
    std::binary_semaphore running(0);
    lane.start([&](const JobLane::Context &context) {
        context.report([&] { ++old; });
        running.release();
        waitFor(context.stop);
        context.report([&] { ++old; });
        return [&] { ++old; };
    });
    running.acquire();
    lane.start([&](const JobLane::Context &) { return [&] { ++fresh; }; });
    QTRY_COMPARE(fresh, 1);
    QCOMPARE(old, 0);
}

void TestJobLane::stop_running_deliversWhatItHas()
{
    JobLane lane;
    int best = 0;
    lane.start([&](const JobLane::Context &context) {
        waitFor(context.stop);
        return [&] { best = 42; };
    });
    lane.stop();
    QTRY_COMPARE(best, 42);
    QVERIFY(!lane.isBusy());
}

void TestJobLane::stop_running_endsWhatTakesNoToken()
{
    QVERIFY(!stopHere().stop_possible());
    JobLane lane;
    bool delivered = false;
    lane.start([&](const JobLane::Context &) {
        waitFor(stopHere());
        return [&] { delivered = true; };
    });
    lane.stop();
    QTRY_VERIFY(delivered);
}

void TestJobLane::cancel_running_dropsEverything()
{
    JobLane lane;
    int dropped = 0;
    int delivered = 0;
    std::binary_semaphore running(0);
    std::atomic<bool> ended = false;
    lane.start([&](const JobLane::Context &context) {
        running.release();
        waitFor(context.stop);
        context.report([&] { ++dropped; });
        ended = true;
        return [&] { ++dropped; };
    });
    running.acquire();
    lane.cancel();
    QVERIFY(!lane.isBusy());
    lane.start([&](const JobLane::Context &) { return [&] { ++delivered; }; });
    QTRY_COMPARE(delivered, 1); // arrives after all reports of the previous work
    QVERIFY(ended);
    QCOMPARE(dropped, 0);
}

void TestJobLane::cancel_running_doesNotWaitForTheWork()
{
    std::binary_semaphore running(0);
    std::binary_semaphore answer(0); // a device that answers late, after cancel() has returned
    JobLane lane;
    lane.start([&](const JobLane::Context &) -> JobLane::Delivery {
        running.release();
        answer.acquire();
        return {};
    });
    running.acquire();
    lane.cancel();
    QVERIFY(!lane.isBusy());
    answer.release();
}

void TestJobLane::destroy_running_endsTheWork()
{
    std::atomic<bool> ended = false;
    {
        std::binary_semaphore running(0);
        JobLane lane;
        lane.start([&](const JobLane::Context &context) -> JobLane::Delivery {
            running.release();
            waitFor(context.stop);
            ended = true;
            return {};
        });
        running.acquire();
    }
    QVERIFY(ended);
}

void TestJobLane::start_fromDelivery_runsNext()
{
    JobLane lane;
    int rounds = 0;
    std::function<void()> again = [&] {
        if (++rounds < 5)
            lane.start([&](const JobLane::Context &) { return again; });
    };
    lane.start([&](const JobLane::Context &) { return again; });
    QTRY_COMPARE(rounds, 5);
    QTRY_VERIFY(!lane.isBusy());
}

STAGECRAFT_SUITE(TestJobLane)

} // namespace tst_job_lane
#include "tst_job_lane.moc"
