// Requests in a simulated queue, where what comes out is known.

#include "flow/co_run/request_queue.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;

namespace tst_request_queue {

class TestRequestQueue : public QObject {
    Q_OBJECT

private slots:
    void simulateQueue_rareRequests_waitForNothing();
    void simulateQueue_oneModel_waitsAsTheTheorySays();
    void simulateQueue_together_servesWhatAloneCannot();
    void simulateQueue_together_endsEachModelOnItsOwn();
    void simulateQueue_twice_isTheSame();
};

void TestRequestQueue::simulateQueue_rareRequests_waitForNothing()
{
    const QueueAnswer answer = simulateQueue({.aloneUs = {10, 30}}, {.perSecond = {0.1, 0.1}, .requests = 500});
    QVERIFY(!answer.isOverloaded);
    QVERIFY(answer.models[0].requests > 400 && answer.models[0].requests < 600);
    QVERIFY(std::abs(answer.models[0].p50Us - 10) < 1e-3 && std::abs(answer.models[1].p50Us - 30) < 1e-3);
    QVERIFY(answer.busyShare < 1e-5);
}

// M/D/1 with half of the time busy: the mean wait is half of a service, and half of the requests find it idle.
void TestRequestQueue::simulateQueue_oneModel_waitsAsTheTheorySays()
{
    const QueueAnswer answer = simulateQueue({.aloneUs = {100, 100}}, {.perSecond = {5000, 1e-3}, .requests = 200'000});
    QVERIFY(!answer.isOverloaded);
    QVERIFY2(std::abs(answer.busyShare - 0.5) < 0.01, qPrintable(QString::number(answer.busyShare)));
    QVERIFY(answer.models[0].p50Us >= 100 - 1e-6 && answer.models[0].p50Us < 102);
    // Waiting more than 3.2 services has a probability of 1 % there (Erlang 1909).
    QVERIFY2(answer.models[0].p99Us > 380 && answer.models[0].p99Us < 460,
             qPrintable(QString::number(answer.models[0].p99Us)));
    QCOMPARE(answer.models[1].requests, std::size_t{0});
}

void TestRequestQueue::simulateQueue_together_servesWhatAloneCannot()
{
    const QueueArrivals arrivals{.perSecond = {600, 600}};
    const QueueAnswer alone = simulateQueue({.aloneUs = {1000, 1000}}, arrivals);
    QVERIFY(alone.isOverloaded);
    const QueueAnswer both =
        simulateQueue({.aloneUs = {1000, 1000}, .together = QueueService::Together{1200, {1100, 1200}}}, arrivals);
    QVERIFY(!both.isOverloaded);
    QVERIFY(both.busyShare < 1 && both.models[0].p99Us < 20'000);
}

// All requests arrive within 2 us. The first is served alone, then both models always have one that waits.
void TestRequestQueue::simulateQueue_together_endsEachModelOnItsOwn()
{
    constexpr double kAloneUs = 50;
    constexpr double kTogetherUs = 80;
    constexpr std::array kEndsUs{20.0, 70.0};
    const QueueService service{.aloneUs = {kAloneUs, kAloneUs},
                               .together = QueueService::Together{kTogetherUs, kEndsUs}};
    const QueueAnswer answer = simulateQueue(service, {.perSecond = {1e9, 1e9}, .requests = 1000});
    QVERIFY(answer.isOverloaded);
    for (std::size_t model = 0; model < 2; ++model) {
        const double pairs = (answer.models[model].p50Us - kAloneUs - kEndsUs[model]) / kTogetherUs;
        QVERIFY2(std::abs(pairs - std::round(pairs)) < 0.05, qPrintable(QString::number(pairs)));
        QVERIFY(pairs > 450 && pairs < 550);
    }
}

void TestRequestQueue::simulateQueue_twice_isTheSame()
{
    const QueueService service{.aloneUs = {100, 200}, .together = QueueService::Together{220, {210, 220}}};
    const QueueArrivals arrivals{.perSecond = {2000, 1500}};
    const QueueAnswer one = simulateQueue(service, arrivals);
    const QueueAnswer other = simulateQueue(service, arrivals);
    for (std::size_t model = 0; model < 2; ++model) {
        QCOMPARE(one.models[model].p50Us, other.models[model].p50Us);
        QCOMPARE(one.models[model].p99Us, other.models[model].p99Us);
        QVERIFY(one.models[model].p50Us <= one.models[model].p99Us);
    }
    const QueueAnswer later = simulateQueue(service, {.perSecond = {2000, 1500}, .seed = 7});
    QVERIFY(later.models[0].p99Us != one.models[0].p99Us);
    QVERIFY(std::abs(later.models[0].p50Us / one.models[0].p50Us - 1) < 0.1);
}

STAGECRAFT_SUITE(TestRequestQueue)

} // namespace tst_request_queue
#include "tst_request_queue.moc"
