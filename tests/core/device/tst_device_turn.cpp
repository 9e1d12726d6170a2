#include "device/device_turn.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

using namespace stagecraft;

namespace {

const std::string kHardware = "test-" + std::to_string(getpid());
const std::string kOther = kHardware + "-other";

} // namespace

class TestDeviceTurn : public QObject {
    Q_OBJECT

private slots:
    void cleanupTestCase();
    void turn_heldElsewhere_isWaitedFor();
    void turn_stopRequested_waitsNoLonger();
    void turn_noHardware_isAlwaysFree();
    void turn_takenAgainAtOnce_letsTheOtherIn();
};

void TestDeviceTurn::cleanupTestCase()
{
    for (const std::string &hardware : {kHardware, kOther}) {
        std::filesystem::remove(DeviceTurn::turnFile(hardware));
        std::filesystem::remove(DeviceTurn::queueFile(hardware));
    }
}

void TestDeviceTurn::turn_heldElsewhere_isWaitedFor()
{
    auto first = std::make_unique<DeviceTurn>(kHardware, std::stop_token());
    QVERIFY(first->isMine());
    std::atomic<bool> gotIt = false;
    std::jthread other([&](const std::stop_token &stop) {
        const DeviceTurn turn(kHardware, stop);
        gotIt = turn.isMine();
    });
    QTest::qWait(30);
    QVERIFY(!gotIt);
    QVERIFY(DeviceTurn(kOther, {}).isMine()); // other hardware is free
    first.reset();
    other.join();
    QVERIFY(gotIt);
}

void TestDeviceTurn::turn_stopRequested_waitsNoLonger()
{
    const DeviceTurn first(kHardware, {});
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!DeviceTurn(kHardware, stop.get_token()).isMine());
}

void TestDeviceTurn::turn_noHardware_isAlwaysFree()
{
    const DeviceTurn first({}, {});
    QVERIFY(first.isMine() && DeviceTurn({}, {}).isMine());
}

// A search does nothing but: its next request follows within microseconds.
void TestDeviceTurn::turn_takenAgainAtOnce_letsTheOtherIn()
{
    std::atomic<int> turns = 0;
    const std::jthread greedy([&](const std::stop_token &stop) {
        while (!stop.stop_requested()) {
            const DeviceTurn turn(kHardware, stop);
            ++turns;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    QTRY_VERIFY(turns > 0);
    for (int i = 0; i < 5; ++i) {
        const int before = turns;
        QVERIFY(DeviceTurn(kHardware, {}).isMine());
        const int waited = turns - before;
        QVERIFY2(waited <= 4, qPrintable(QString::number(waited)));
    }
}

QTEST_GUILESS_MAIN(TestDeviceTurn)
#include "tst_device_turn.moc"
