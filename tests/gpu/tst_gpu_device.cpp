// What can be tested of the GPU device without a GPU: values survive half precision, reasons are stated, a failure is
// fatal if nothing works after it, an idle GPU is warmed up.

#include "gpu/cuda/failure.h"
#include "gpu/device/clock_warmup.h"
#include "gpu/device/clocks.h"
#include "gpu/device/host_values.h"
#include "gpu/plan/gpu_options.h"
#include "gpu/session/engine_memory.h"
#include "gpu/session/gpu_device.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <cmath>
#include <new>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_device {

class TestGpuDevice : public QObject {
    Q_OBJECT

private slots:
    void toHalf_everyHalf_roundTrips();
    void toHalf_values_roundToNearestEven();
    void gathered_scatteredValues_comeBack();
    void unavailableText_code_saysWhatToDo_data();
    void unavailableText_code_saysWhatToDo();
    void slowdownText_idleAndPower_tellsPowerAlone();
    void requireCuda_failure_isFatalWhereNothingWorksAfterIt_data();
    void requireCuda_failure_isFatalWhereNothingWorksAfterIt();
    void requireCuda_outOfMemory_saysWhatHelps();
    void guarded_failureOfCudnn_asksTheGpu_data();
    void guarded_failureOfCudnn_asksTheGpu();
    void guarded_ownMemoryRunsOut_isAnError();
    void wake_afterIdleness_givesWork();
    void workQueuesText_environment_isTold();
    void makeGpuDevice_withoutGpu_isUnavailableWithReason();
    void engineFingerprint_whatEnginesDependOn_isInIt();
    void engineMemory_secondOne_hasWhatTheFirstLearned();
};

void TestGpuDevice::toHalf_everyHalf_roundTrips()
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = fromHalf(half);
        if (std::isnan(value))
            QVERIFY(std::isnan(fromHalf(toHalf(value))));
        else
            QCOMPARE(toHalf(value), half);
    }
}

void TestGpuDevice::toHalf_values_roundToNearestEven()
{
    QCOMPARE(toHalf(1.0F + 0x1p-11F), std::uint16_t{0x3C00}); // a tie, rounded to even
    QCOMPARE(toHalf(1.0F + 3 * 0x1p-11F), std::uint16_t{0x3C02});
    QCOMPARE(toHalf(65519.0F), std::uint16_t{0x7BFF});
    QCOMPARE(toHalf(65520.0F), std::uint16_t{0x7C00});
    QCOMPARE(toHalf(0x1p-25F), std::uint16_t{0}); // half of the smallest, rounded to even
    QCOMPARE(toHalf(1.5F * 0x1p-25F), std::uint16_t{1});
    QCOMPARE(toHalf(-0x1p-24F), std::uint16_t{0x8001});
}

void TestGpuDevice::gathered_scatteredValues_comeBack()
{
    const View whole{View::Memory::Arena, 0, 0, {2, 6, 2, 3}, denseStrides({2, 6, 2, 3}, TensorLayout::ChannelsLast)};
    View slice = sliced(whole, 1, 2, 3);
    slice.offset = 0;
    std::vector<float> values(static_cast<std::size_t>(slice.elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i) / 8;
    for (const Precision precision : {Precision::Fp32, Precision::Fp16}) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(slice.span() * elementBytes(precision)));
        scatter(values, slice, precision, bytes);
        QVERIFY(gathered(bytes, slice, precision) == values);
    }
}

void TestGpuDevice::unavailableText_code_saysWhatToDo_data()
{
    QTest::addColumn<int>("code"); // a cudaError_t
    QTest::addColumn<int>("driver");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no driver") << 35 << 0 << QByteArray("no NVIDIA driver is loaded: install");
    QTest::newRow("old driver") << 35 << 12040
                                << QByteArray("the NVIDIA driver supports CUDA 12.4 and CUDA 13.0 is needed: install");
    QTest::newRow("no GPU") << 100 << 13000 << QByteArray("the NVIDIA driver finds no GPU: check");
    QTest::newRow("mismatch") << 803 << 13000
                              << QByteArray("the NVIDIA driver was updated but not loaded since: restart");
    QTest::newRow("other") << 3 << 13000 << QByteArray("CUDA does not start: ");
}

void TestGpuDevice::unavailableText_code_saysWhatToDo()
{
    QFETCH(const int, code);
    QFETCH(const int, driver);
    QFETCH(const QByteArray, text);
    QVERIFY2(unavailableText(code, driver, 13000).starts_with(text.toStdString()),
             unavailableText(code, driver, 13000).c_str());
}

void TestGpuDevice::slowdownText_idleAndPower_tellsPowerAlone()
{
    QCOMPARE(slowdownText(0x1 | 0x2), std::string()); // idle, application clocks
    QCOMPARE(slowdownText(0x1 | 0x4 | 0x40), std::string("power limit, temperature (hardware)"));
}

void TestGpuDevice::requireCuda_failure_isFatalWhereNothingWorksAfterIt_data()
{
    QTest::addColumn<int>("code"); // a cudaError_t
    QTest::addColumn<bool>("fatal");
    QTest::newRow("illegal address") << 700 << true;
    QTest::newRow("stopped kernel") << 702 << true;
    QTest::newRow("launch failure") << 719 << true;
    QTest::newRow("tensor memory not given back") << 721 << true;
    QTest::newRow("MPS client ended by its server") << 810 << true;
    QTest::newRow("another device's failure") << 911 << true;
    QTest::newRow("out of memory") << 2 << false;
    QTest::newRow("invalid value") << 1 << false;
}

void TestGpuDevice::requireCuda_failure_isFatalWhereNothingWorksAfterIt()
{
    QFETCH(const int, code);
    QFETCH(const bool, fatal);
    bool lost = false;
    const auto result = guarded(lost, [&]() -> Result<void> {
        requireCuda(code, "running the schedule");
        return {};
    });
    QVERIFY(!result && result.error().code == ErrorCode::DeviceFailed);
    QVERIFY(result.error().message.starts_with("running the schedule failed: "));
    QCOMPARE(lost, fatal);
}

void TestGpuDevice::requireCuda_outOfMemory_saysWhatHelps()
{
    bool lost = false;
    const auto result = guarded(lost, []() -> Result<void> {
        requireCuda(2, "allocating 7 MiB on the GPU");
        return {};
    });
    QCOMPARE(result.error().message,
             std::string("allocating 7 MiB on the GPU failed: out of memory (cudaErrorMemoryAllocation)"));
    QCOMPARE(result.error().remedy, std::string("use a smaller batch, or end other programs on the GPU"));
}

void TestGpuDevice::guarded_failureOfCudnn_asksTheGpu_data()
{
    QTest::addColumn<bool>("fails");
    QTest::addColumn<bool>("broken"); // state of the GPU
    QTest::addColumn<bool>("lost");
    QTest::newRow("nothing failed") << false << true << false; // the GPU is not asked
    QTest::newRow("not supported") << true << false << false;
    QTest::newRow("beneath it an illegal address") << true << true << true;
}

// cuDNN reports an illegal address as a failed execution: our copy of CUDA only notices when asked.
void TestGpuDevice::guarded_failureOfCudnn_asksTheGpu()
{
    QFETCH(const bool, fails);
    QFETCH(const bool, broken);
    QFETCH(const bool, lost);
    bool found = false;
    const auto result = guarded(
        found,
        [&]() -> Result<void> {
            requireCudnn(fails ? 5000 : 0, "a convolution");
            return {};
        },
        broken ? +[] { return 700; } : +[] { return 0; });
    QCOMPARE(!result, fails);
    QCOMPARE(found, lost);
    QCOMPARE(!result && result.error().message.find("an illegal memory access") != std::string::npos, lost);
}

void TestGpuDevice::guarded_ownMemoryRunsOut_isAnError()
{
    bool lost = false;
    const auto result = guarded(lost, []() -> Result<void> { throw std::bad_alloc(); });
    QVERIFY(!result && !lost);
    QCOMPARE(result.error().remedy, std::string("use a smaller batch"));
}

void TestGpuDevice::wake_afterIdleness_givesWork()
{
    using namespace std::chrono_literals;
    ClockWarmup gpu;
    int works = 0;
    const auto work = [&] {
        ++works;
        std::this_thread::sleep_for(1ms);
    };
    const auto start = std::chrono::steady_clock::now();
    gpu.wake(10ms, work); // there was no work before
    QVERIFY(works > 0 && std::chrono::steady_clock::now() - start >= 10ms);
    // Not after work, unless this thread was delayed in between.
    for (int i = 0; i < 20 && works > 0; ++i) {
        works = 0;
        std::this_thread::sleep_for(25ms);
        gpu.worked();
        gpu.wake(10ms, work);
    }
    QCOMPARE(works, 0);
    std::this_thread::sleep_for(25ms);
    gpu.wake(10ms, work);
    QVERIFY(works > 0);
    works = 0;
    std::this_thread::sleep_for(25ms);
    std::stop_source stop;
    stop.request_stop();
    gpu.wake(10ms, work, stop.get_token());
    QCOMPARE(works, 0);
}

void TestGpuDevice::workQueuesText_environment_isTold()
{
    const QByteArray before = qgetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    const auto restore = qScopeGuard([&] {
        before.isNull() ? qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS") : qputenv("CUDA_DEVICE_MAX_CONNECTIONS", before);
    });
    qputenv("CUDA_DEVICE_MAX_CONNECTIONS", "12");
    QCOMPARE(workQueuesText(), std::string("12"));
    qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    QCOMPARE(workQueuesText(), std::string("as CUDA has them"));
}

void TestGpuDevice::makeGpuDevice_withoutGpu_isUnavailableWithReason()
{
    const DeviceInfo info = take(makeGpuDevice("gpu:0:tf32"))->info();
    QCOMPARE(info.id, std::string("gpu:0:tf32"));
    if (info.available)
        QSKIP("there is a GPU here");
    QVERIFY(!info.unavailableReason.empty());
    const auto session = take(makeGpuDevice("gpu:0:tf32"))->open(nullptr);
    QVERIFY(!session && session.error().message.starts_with("gpu:0:tf32 is not available: "));
}

namespace {

DeviceInfo hopper()
{
    DeviceInfo info;
    info.facts = {{"GPU", "NVIDIA H200"},
                  {"compute capability", "9.0"},
                  {"SMs", "132"},
                  {"driver", "580.1"},
                  {"CUDA", "13.0"},
                  {"cuDNN", "9.19.0"},
                  {"mode", "graph"},
                  {"clocks", "default"},
                  {"clocks now", "1980 MHz SM"}};
    return info;
}

} // namespace

void TestGpuDevice::engineFingerprint_whatEnginesDependOn_isInIt()
{
    const auto of = [](const DeviceInfo &info, const char *id) {
        return engineFingerprint(info, take(gpuOptionsFrom(id)), "kernels-1");
    };
    const std::string usual = of(hopper(), "gpu:0");
    for (const char *id : {"gpu:0:tf32", "gpu:0:nhwc", "gpu:0:quick", "gpu:0:sweep", "gpu:0:compiled"})
        QVERIFY2(of(hopper(), id) != usual, id);
    for (const char *id : {"gpu:0:streams", "gpu:0:flush", "gpu:1"}) // timed alone, in the same way
        QCOMPARE(of(hopper(), id), usual);
    for (std::size_t fact = 0; fact < 6; ++fact) {
        DeviceInfo other = hopper();
        other.facts[fact].second += "x";
        QVERIFY2(of(other, "gpu:0") != usual, other.facts[fact].first.c_str());
    }
    DeviceInfo later = hopper();
    later.facts.back().second = "1200 MHz SM";
    QCOMPARE(of(later, "gpu:0"), usual);
    QVERIFY(engineFingerprint(hopper(), {}, "kernels-2") != usual);
}

void TestGpuDevice::engineMemory_secondOne_hasWhatTheFirstLearned()
{
    const QTemporaryDir cache;
    const QByteArray before = qgetenv("XDG_CACHE_HOME");
    const auto restore =
        qScopeGuard([&] { before.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", before); });
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    const GpuOptions graph = take(gpuOptionsFrom("gpu:0"));
    TunedConv tuned;
    tuned.choices = {{{}, "convRow", false, false, 3.5}};
    engineMemory(hopper(), graph)->add("a conv", tuned);
    const auto streams = engineMemory(hopper(), take(gpuOptionsFrom("gpu:0:streams")));
    QVERIFY(streams->find("a conv") && *streams->find("a conv") == tuned);
    QVERIFY(!engineMemory(hopper(), take(gpuOptionsFrom("gpu:0:fp16")))->find("a conv"));
    DeviceInfo updated = hopper();
    updated.facts[3].second = "590.2";
    const auto other = engineMemory(updated, graph);
    QVERIFY(!other->find("a conv") && other->takeNotice().empty()); // a file of its own: nothing is wrong
}

STAGECRAFT_SUITE(TestGpuDevice)

} // namespace tst_gpu_device
#include "tst_gpu_device.moc"
