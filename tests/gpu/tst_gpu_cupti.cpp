// What can be tested of CUPTI without a GPU: the library loads and is complete, the metrics exist on the chips and fit
// one pass (CUPTI's host API), raw records are read, refusals have texts; and, with a fake CUPTI, that tracing makes
// the right calls in the right order.

#include "cupti_of_test.h"
#include "gpu/profile/counter_config.h"
#include "gpu/profile/kernel_tracer.h"
#include "gpu/profile/occupancy.h"
#include "support/sanitized.h"
#include "support/suite.h"

#include <cuda_runtime_api.h>

#include <QTest>

#include <array>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_cupti {

class TestGpuCupti : public QObject {
    Q_OBJECT

private slots:
    void init();
    void loadCupti_missing_saysWhatToInstall();
    void loadCupti_anotherLibrary_namesWhatItLacks();
    void counterConfig_sampledMetrics_takeOnePass_data();
    void counterConfig_sampledMetrics_takeOnePass();
    void counterConfig_unknownChipOrMetric_isRefused();
    void counterConfig_tooManyMetrics_isRefused();
    void refusalText_missingRight_saysWhoGivesIt_data();
    void refusalText_missingRight_saysWhoGivesIt();
    void smLimits_kernelsOnAnH100_fitAsNvidiaSays_data();
    void smLimits_kernelsOnAnH100_fitAsNvidiaSays();
    void recordFrom_activity_isReadFieldByField();
    void kernelTracer_graphOfTwoTasks_mapsItsKernels();
    void kernelTracer_secondProfiler_isRefusedInWords();
};

namespace {

KernelActivity activity(std::uint64_t start, std::uint64_t node)
{
    KernelActivity record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.name = "k";
    record.start = start;
    record.end = start + 100;
    record.graphNodeId = node;
    return record;
}

void graphCallback(CUpti_CallbackId id, std::uintptr_t node, std::uintptr_t original)
{
    CUpti_GraphData graph{};
    graph.node = reinterpret_cast<CUgraphNode>(node);
    graph.originalNode = reinterpret_cast<CUgraphNode>(original);
    CUpti_ResourceData resource{};
    resource.resourceDescriptor = &graph;
    play.callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

} // namespace

void TestGpuCupti::init()
{
    play = {};
    if (kSanitized && QByteArray(QTest::currentTestFunction()).startsWith("counterConfig"))
        QSKIP("CUPTI opens libnvperf_host with RTLD_DEEPBIND, which sanitizers do not bear");
}

void TestGpuCupti::loadCupti_missing_saysWhatToInstall()
{
    const std::vector<std::string> files{"libcupti-that-is-not-there.so"};
    const auto loaded = loadCupti(files);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().message, std::string("a timeline needs CUPTI, which is not found"));
    QVERIFY(loaded.error().remedy.starts_with("install CUPTI 13"));
}

void TestGpuCupti::loadCupti_anotherLibrary_namesWhatItLacks()
{
    const std::vector<std::string> files{"libc.so.6"};
    const auto loaded = loadCupti(files);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().message,
             std::string("a timeline needs another CUPTI: this one has no cuptiGetResultString"));
}

void TestGpuCupti::counterConfig_sampledMetrics_takeOnePass_data()
{
    QTest::addColumn<QByteArray>("chip");
    for (const char *chip : {"GH100", "GA100", "GA102", "AD102", "GB100"})
        QTest::newRow(chip) << QByteArray(chip);
}

void TestGpuCupti::counterConfig_sampledMetrics_takeOnePass()
{
    QFETCH(const QByteArray, chip);
    try {
        const CounterConfig config(realCupti(), chip.toStdString(), kSampledMetrics);
        QCOMPARE(config.passes(), std::size_t{1});
        QVERIFY(config.image().size() > 100);
    } catch (const Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

void TestGpuCupti::counterConfig_unknownChipOrMetric_isRefused()
{
    QVERIFY(failureOf([] {
                CounterConfig(realCupti(), "GX999", kSampledMetrics);
            }).startsWith("reading the counters of GX999 failed: "));
    const std::array<const char *, 1> metrics{"sm__warps_asleep.sum"};
    QVERIFY(failureOf([&] {
                CounterConfig(realCupti(), "GH100", metrics);
            }).startsWith("choosing metrics of GH100 failed: "));
}

void TestGpuCupti::counterConfig_tooManyMetrics_isRefused()
{
    const std::array<const char *, 6> metrics{"sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_executed_pipe_fma.sum",
                                              "smsp__warps_issue_stalled_barrier.sum"};
    const QString text = failureOf([&] { CounterConfig(realCupti(), "GH100", metrics); });
    QVERIFY2(text.contains(" passes on GH100, sampling has one"), qPrintable(text));
}

void TestGpuCupti::refusalText_missingRight_saysWhoGivesIt_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("part");
    QTest::newRow("privileges") << int{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}
                                << QByteArray("NVreg_RestrictProfilingToAdminUsers=0");
    QTest::newRow("virtual machine") << int{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED}
                                     << QByteArray("the host's administrator");
    QTest::newRow("not supported") << int{CUPTI_ERROR_NOT_SUPPORTED} << QByteArray("does not support it");
    QTest::newRow("MIG") << int{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED} << QByteArray("partitioned (MIG)");
    QTest::newRow("other") << int{CUPTI_ERROR_HARDWARE} << QByteArray("CUPTI says its word");
}

void TestGpuCupti::refusalText_missingRight_saysWhoGivesIt()
{
    QFETCH(const int, code);
    QFETCH(const QByteArray, part);
    const std::string text = refusalText(static_cast<CUptiResult>(code), "its word");
    QVERIFY2(text.find(part.toStdString()) != std::string::npos, text.c_str());
}

void TestGpuCupti::smLimits_kernelsOnAnH100_fitAsNvidiaSays_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("registers");
    QTest::addColumn<int>("sharedBytes");
    QTest::addColumn<int>("blocks");
    QTest::newRow("by threads") << 256 << 32 << 0 << 8;
    QTest::newRow("by registers") << 256 << 128 << 0 << 2;
    QTest::newRow("by shared memory") << 128 << 32 << 100 * 1024 << 2;
    QTest::newRow("by blocks") << 32 << 16 << 0 << 32;
    QTest::newRow("more than fits") << 1024 << 255 << 0 << 1;
}

void TestGpuCupti::smLimits_kernelsOnAnH100_fitAsNvidiaSays()
{
    QFETCH(const int, threads);
    QFETCH(const int, registers);
    QFETCH(const int, sharedBytes);
    QFETCH(const int, blocks);
    cudaDeviceProp h100{};
    h100.major = 9;
    h100.maxThreadsPerBlock = 1024;
    h100.maxThreadsPerMultiProcessor = 2048;
    h100.regsPerBlock = h100.regsPerMultiprocessor = 65536;
    h100.warpSize = 32;
    h100.sharedMemPerBlock = 48 << 10;
    h100.sharedMemPerMultiprocessor = 228 << 10;
    h100.sharedMemPerBlockOptin = 227 << 10;
    h100.reservedSharedMemPerBlock = 1 << 10;
    h100.multiProcessorCount = 132;
    const SmLimits limits = smLimitsOf(h100);
    QCOMPARE(limits.sms, 132);
    QCOMPARE(limits.warpsPerSm, 64);
    KernelRecord record;
    record.threadsPerBlock = threads;
    record.registersPerThread = registers;
    record.dynamicSharedBytes = sharedBytes;
    QCOMPARE(limits.blocksPerSm(record), blocks);
}

void TestGpuCupti::recordFrom_activity_isReadFieldByField()
{
    KernelActivity raw = activity(1000, 42);
    raw.gridX = 2;
    raw.gridY = 3;
    raw.gridZ = 4;
    raw.blockX = 32;
    raw.blockY = 2;
    raw.blockZ = 2;
    raw.registersPerThread = 200;
    raw.staticSharedMemory = 10;
    raw.dynamicSharedMemory = 20;
    raw.correlationId = 7;
    const KernelRecord record = recordFrom(raw);
    QCOMPARE(record.name, std::string("k"));
    QCOMPARE(record.endNs - record.startNs, std::int64_t{100});
    QCOMPARE(record.blocks(), std::int64_t{24});
    QCOMPARE(record.threadsPerBlock, 128);
    QCOMPARE(record.registersPerThread, 200);
    QVERIFY(record.staticSharedBytes == 10 && record.dynamicSharedBytes == 20);
    QVERIFY(record.graphNode == 42 && record.correlation == 7);
    raw.name = nullptr;
    QVERIFY(recordFrom(raw).name.empty());
}

void TestGpuCupti::kernelTracer_graphOfTwoTasks_mapsItsKernels()
{
    const Cupti fake = playedCupti();
    TaskMap tasks;
    {
        KernelTracer tracer(fake, tasks);
        tasks.begin(0);
        graphCallback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 10, 0);
        tasks.begin(1);
        graphCallback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 11, 0);
        CUpti_CallbackData launch{};
        launch.callbackSite = CUPTI_API_ENTER;
        launch.correlationId = 5;
        play.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, 0, &launch);
        tasks.end();
        graphCallback(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 20, 10);
        graphCallback(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 21, 11);
        play.pending = {activity(1, 20)}; // from the warm-up
        tracer.start();
        play.pending = {activity(1000, 21), activity(1100, 20)};
        const auto records = tracer.finish();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(tasks.taskOf(records[0]).value(), std::size_t{1});
        QCOMPARE(tasks.taskOf(records[1]).value(), std::size_t{0});
        KernelRecord direct;
        direct.correlation = 5;
        QCOMPARE(tasks.taskOf(direct).value(), std::size_t{1});
    }
    QCOMPARE(play.asked,
             QStringList({"subscribe", "trace concurrent", "flush", "flush", "trace no more", "unsubscribe"}));
}

void TestGpuCupti::kernelTracer_secondProfiler_isRefusedInWords()
{
    play.subscribe = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    const Cupti fake = playedCupti();
    TaskMap tasks;
    QCOMPARE(failureOf([&] { const KernelTracer tracer(fake, tasks); }),
             QString("tracing kernels failed: another profiler is active in this process: run without it"));
    QCOMPARE(play.asked, QStringList({"subscribe"}));
}

STAGECRAFT_SUITE(TestGpuCupti)

} // namespace tst_gpu_cupti
#include "tst_gpu_cupti.moc"
