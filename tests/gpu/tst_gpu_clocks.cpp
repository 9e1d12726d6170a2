// Clocks of a GPU from NVML, tested with a fake NVML.

#include "device/executing/adaptive_measurement.h"
#include "gpu/device/clocks.h"
#include "nvml_of_test.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_clocks {

namespace {

Clocks clocks()
{
    static const std::string library = testProgramPath("libstagecraft_nvml_of_test.so").toStdString();
    return Clocks("0000:3b:00.0", library.c_str());
}

} // namespace

class TestGpuClocks : public QObject {
    Q_OBJECT

private slots:
    void init() { playedClocks() = {0, 1980, 2619, 0, 0}; }
    void read_nvml_tellsSmAndMemoryClock();
    void read_withoutNvmlOrRight_isUnknown();
    void measureAdaptively_watchedGpu_recordsItsClocks();
    void news_slowedWhileTimed_isToldOncePerReason();
};

void TestGpuClocks::read_nvml_tellsSmAndMemoryClock()
{
    playedClocks().reasons = 0x4;
    const auto reading = clocks().read();
    QVERIFY(reading && reading->smMHz == 1980 && reading->memoryMHz == 2619 && reading->temperature == 71);
    QCOMPARE(reading->slowedBy, std::string("power limit"));
    QVERIFY(ClockWatch(clocks()).read() == (ClockRates{1980, 2619, "power limit"}));
}

void TestGpuClocks::read_withoutNvmlOrRight_isUnknown()
{
    ClockWatch none(Clocks("0000:3b:00.0", "libnvidia-ml-that-is-not-there.so.1"));
    QVERIFY(!none.read().isKnown());
    ClockWatch refused(clocks());
    playedClocks().status = 3; // NVML_ERROR_NOT_SUPPORTED, as on a GPU partition
    QVERIFY(!refused.read().isKnown());
    QCOMPARE(refused.news(), std::string());
}

void TestGpuClocks::measureAdaptively_watchedGpu_recordsItsClocks()
{
    ClockWatch watch(clocks());
    int runs = 0;
    const auto sample = measureAdaptively(
        [&](int) {
            playedClocks().smMHz = ++runs <= 3 ? 345 : 1755; // it speeds up during the warm-up
            return Result<double>(100.0);
        },
        {.warmup = 4, .clocks = [&] { return watch.read(); }}, {});
    QVERIFY(sample && sample->clocks == (ClockRates{1755, 2619}));
    QVERIFY(playedClocks().clockCalls >= 4); // two clocks, before and after
}

void TestGpuClocks::news_slowedWhileTimed_isToldOncePerReason()
{
    ClockWatch watch(clocks());
    const auto read = [&](unsigned long long reasons, unsigned mhz) {
        playedClocks().reasons = reasons;
        playedClocks().smMHz = mhz;
        QVERIFY(watch.read().isKnown());
    };
    read(0, 1980);
    QCOMPARE(watch.news(), std::string());
    read(0x40, 1200); // only during the timing
    read(0, 1980);
    QCOMPARE(watch.news(), std::string("the GPU runs slower than it could (temperature (hardware)): SM clock 1200 MHz, "
                                       "memory 2619 MHz, 71 C"));
    read(0x40, 1100);
    QCOMPARE(watch.news(), std::string());
    read(0x4, 1500);
    QVERIFY(watch.news().find("power limit") != std::string::npos);
}

STAGECRAFT_SUITE(TestGpuClocks)

} // namespace tst_gpu_clocks
#include "tst_gpu_clocks.moc"
