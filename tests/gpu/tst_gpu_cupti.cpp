// What of CUPTI can be checked without a GPU: the library loads and has what is needed, the metrics exist on the chips
// and fit one pass (CUPTI's host API), raw records are read, refusals are told in words; and, against a CUPTI of this
// test's own, that tracing and sampling ask for the right things in the right order.

#include "gpu/device/failure.h"
#include "gpu/profile/counter_sampler.h"
#include "gpu/profile/kernel_tracer.h"
#include "gpu/profile/occupancy.h"

#include <cuda_runtime_api.h>

#include <QScopeGuard>
#include <QStringList>
#include <QTest>

#include <cstdlib>

using namespace stagecraft;
using namespace stagecraft::gpu;

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
    void sampleCounters_bufferRunsOver_triesCoarserIntervals();
    void sampleCounters_imageFillsUp_losesNoSampleSilently();
    void sampleCounters_longRuns_areFewerAndSampledMoreCoarsely_data();
    void sampleCounters_longRuns_areFewerAndSampledMoreCoarsely();
    void sampleCounters_runTooLong_isRefusedInWords();
    void sampleCounters_oneIntervalRefused_triesTheNext_data();
    void sampleCounters_oneIntervalRefused_triesTheNext();
    void sampleCounters_notEnabledTwice_saysWhatWasBefore();
    void sampleCounters_allIntervalsRefused_saysWhy();
    void sampleCounters_decodeStopsForAnotherReason_goesOn();
    void sampleCounters_neverEndsByItself_isReadUntilNothingComes();
    void sampleCounters_badSamples_areLeftOutAndTold();
    void sampleCounters_mostlyBadSamples_triesCoarserIntervals();
    void sampleCounters_switchedOff_asksCuptiNothing();
    void sampleCounters_noPrivileges_saysWhichRightIsMissing();
    void sampleCounters_virtualGpu_saysSo();
    void sampleCounters_runThatFails_stopsSamplingOnce();
};

namespace {

const Cupti &real()
{
    static const Result<Cupti> loaded = cupti();
    if (!loaded)
        qFatal("no CUPTI: %s", loaded.error().message.c_str());
    return *loaded;
}

template <typename Body>
QString failureOf(const Body &body)
{
    try {
        body();
    } catch (const Failure &failure) {
        return QString::fromStdString(failure.error.message);
    }
    return {};
}

using Reason = CUpti_PmSampling_DecodeStopReason;
constexpr Reason kEnd = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
constexpr Reason kFull = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
constexpr Reason kOther = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;

constexpr std::int64_t kShortNs = 100'000; // of a run

struct PlayedSample {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    double value = 10; // of the first metric; the others have 10 more each
};

// A CUPTI of our own: notes what it is asked, and plays a GPU.
struct Play {
    QStringList asked;
    CUpti_CallbackFunc callback = nullptr;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    std::vector<CUpti_ActivityKernel10> pending; // handed over by the next flush
    std::size_t read = 0;
    CUptiResult subscribe = CUPTI_SUCCESS;
    CUptiResult enable = CUPTI_SUCCESS;
    CUpti_Profiler_Support_Level vGpu = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    std::uint64_t interval = 0;
    std::uint64_t holdsFrom = 0; // the buffer runs over at finer intervals
    std::uint64_t fitsFrom = 0;  // the image fills up at finer intervals
    std::uint64_t worksFrom = 0; // `broken` fails at finer intervals
    const char *broken = "";
    std::uint32_t room = 0;            // samples that the image was made for
    std::vector<Reason> reasons;       // of the decodes, END_OF_RECORDS after them
    std::vector<PlayedSample> samples; // of each decode; none: three, one behind the other
    std::size_t decodes = 0;           // at this interval
    std::size_t empty = SIZE_MAX;      // decodes from this one on have nothing
};
Play play;

CUptiResult note(const char *what, CUptiResult code = CUPTI_SUCCESS)
{
    play.asked << what;
    return play.interval < play.worksFrom && QLatin1String(what) == QLatin1String(play.broken) ? CUPTI_ERROR_UNKNOWN
                                                                                               : code;
}

std::vector<PlayedSample> samplesOfDecode()
{
    if (!play.samples.empty())
        return play.samples;
    const std::uint64_t begin = 3 * (play.decodes - 1) * play.interval; // the very first has none
    std::vector<PlayedSample> samples;
    for (std::uint64_t i = 0; i < 3; ++i)
        samples.push_back({begin + i * play.interval, begin + (i + 1) * play.interval, 10.0 + static_cast<double>(i)});
    return samples;
}

Cupti played()
{
    Cupti fake = real(); // words and host functions are the real ones
    fake.cuptiSubscribe = [](CUpti_SubscriberHandle *, CUpti_CallbackFunc callback, void *) {
        play.callback = callback;
        return note("subscribe", play.subscribe);
    };
    fake.cuptiUnsubscribe = [](CUpti_SubscriberHandle) { return note("unsubscribe"); };
    fake.cuptiEnableCallback = [](std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
        return CUPTI_SUCCESS;
    };
    fake.cuptiEnableDomain = [](std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) { return CUPTI_SUCCESS; };
    fake.cuptiGetGraphNodeId = [](CUgraphNode node, std::uint64_t *id) {
        *id = reinterpret_cast<std::uintptr_t>(node);
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityRegisterCallbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                             CUpti_BuffersCallbackCompleteFunc complete) {
        play.request = request;
        play.complete = complete;
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityEnable = [](CUpti_ActivityKind kind) {
        return note(kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? "trace concurrent" : "trace something else");
    };
    fake.cuptiActivityDisable = [](CUpti_ActivityKind) { return note("trace no more"); };
    fake.cuptiActivityFlushAll = [](std::uint32_t) {
        std::uint8_t *buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        play.request(&buffer, &size, &most);
        play.read = 0;
        play.complete(nullptr, 0, buffer, size, play.pending.size() * sizeof(CUpti_ActivityKernel10));
        play.pending.clear();
        return note("flush");
    };
    fake.cuptiActivityGetNextRecord = [](std::uint8_t *, std::size_t, CUpti_Activity **record) {
        if (play.read == play.pending.size())
            return CUPTI_ERROR_MAX_LIMIT_REACHED;
        *record = reinterpret_cast<CUpti_Activity *>(&play.pending[play.read++]);
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityGetNumDroppedRecords = [](CUcontext, std::uint32_t, std::size_t *dropped) {
        *dropped = 0;
        return CUPTI_SUCCESS;
    };
    fake.cuptiProfilerInitialize = [](CUpti_Profiler_Initialize_Params *) { return note("initialize"); };
    fake.cuptiProfilerDeInitialize = [](CUpti_Profiler_DeInitialize_Params *) { return note("deinitialize"); };
    fake.cuptiProfilerDeviceSupported = [](CUpti_Profiler_DeviceSupported_Params *support) {
        support->vGpu = play.vGpu;
        support->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
        return CUPTI_SUCCESS;
    };
    fake.cuptiDeviceGetChipName = [](CUpti_Device_GetChipName_Params *chip) {
        chip->pChipName = "GH100";
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingGetCounterAvailability = [](CUpti_PmSampling_GetCounterAvailability_Params *ask) {
        ask->counterAvailabilityImageSize = 0;
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingEnable = [](CUpti_PmSampling_Enable_Params *enable) {
        enable->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object *>(&play);
        return note("enable", play.enable);
    };
    fake.cuptiPmSamplingDisable = [](CUpti_PmSampling_Disable_Params *) { return note("disable"); };
    fake.cuptiPmSamplingSetConfig = [](CUpti_PmSampling_SetConfig_Params *config) {
        play.interval = config->samplingInterval;
        play.decodes = 0;
        const bool good =
            config->configSize > 0 && config->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
        return note("configure", good ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
    };
    fake.cuptiPmSamplingStart = [](CUpti_PmSampling_Start_Params *) { return note("start"); };
    fake.cuptiPmSamplingStop = [](CUpti_PmSampling_Stop_Params *) { return note("stop"); };
    fake.cuptiPmSamplingGetCounterDataSize = [](CUpti_PmSampling_GetCounterDataSize_Params *size) {
        size->counterDataSize = 64;
        play.room = size->maxSamples;
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingCounterDataImageInitialize = [](CUpti_PmSampling_CounterDataImage_Initialize_Params *) {
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingDecodeData = [](CUpti_PmSampling_DecodeData_Params *decode) {
        decode->overflow = play.interval < play.holdsFrom ? 1 : 0;
        decode->decodeStopReason = play.interval < play.fitsFrom        ? kFull
                                   : play.decodes < play.reasons.size() ? play.reasons[play.decodes]
                                                                        : kEnd;
        ++play.decodes;
        return note("decode");
    };
    fake.cuptiPmSamplingGetCounterDataInfo = [](CUpti_PmSampling_GetCounterDataInfo_Params *info) {
        info->numCompletedSamples = play.decodes > play.empty ? 0 : samplesOfDecode().size();
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingCounterDataGetSampleInfo = [](CUpti_PmSampling_CounterData_GetSampleInfo_Params *info) {
        const PlayedSample sample = samplesOfDecode()[info->sampleIndex];
        info->startTimestamp = sample.start;
        info->endTimestamp = sample.end;
        return CUPTI_SUCCESS;
    };
    fake.cuptiProfilerHostEvaluateToGpuValues = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params *values) {
        const double first = samplesOfDecode()[values->rangeIndex].value;
        for (std::size_t i = 0; i < values->numMetrics; ++i)
            values->pMetricValues[i] = first + 10.0 * static_cast<double>(i);
        return CUPTI_SUCCESS;
    };
    return fake;
}

CUpti_ActivityKernel10 activity(std::uint64_t start, std::uint64_t node)
{
    CUpti_ActivityKernel10 record{};
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
}

void TestGpuCupti::loadCupti_missing_saysWhatToInstall()
{
    const std::vector<std::string> files{"libcupti-that-is-not-there.so"};
    const auto loaded = loadCupti(files);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().message, std::string("there is no timeline without CUPTI, which is not found"));
    QVERIFY(loaded.error().remedy.starts_with("install CUPTI 13"));
}

void TestGpuCupti::loadCupti_anotherLibrary_namesWhatItLacks()
{
    const std::vector<std::string> files{"libc.so.6"};
    const auto loaded = loadCupti(files);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().message,
             std::string("there is no timeline with this CUPTI: it has no cuptiGetResultString"));
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
        const CounterConfig config(real(), chip.toStdString(), kSampledMetrics);
        QCOMPARE(config.passes(), std::size_t{1});
        QVERIFY(config.image().size() > 100);
    } catch (const Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

void TestGpuCupti::counterConfig_unknownChipOrMetric_isRefused()
{
    QVERIFY(failureOf([] {
                CounterConfig(real(), "GX999", kSampledMetrics);
            }).startsWith("reading the counters of GX999 failed: "));
    const std::array<const char *, 1> metrics{"sm__warps_asleep.sum"};
    QVERIFY(
        failureOf([&] { CounterConfig(real(), "GH100", metrics); }).startsWith("choosing metrics of GH100 failed: "));
}

void TestGpuCupti::counterConfig_tooManyMetrics_isRefused()
{
    const std::array<const char *, 6> metrics{"sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                              "sm__inst_executed_pipe_fma.sum",
                                              "smsp__warps_issue_stalled_barrier.sum"};
    const QString text = failureOf([&] { CounterConfig(real(), "GH100", metrics); });
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
    QTest::newRow("MIG") << int{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED} << QByteArray("divided (MIG)");
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
    CUpti_ActivityKernel10 raw = activity(1000, 42);
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
    const Cupti fake = played();
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
        play.pending = {activity(1, 20)}; // of the warm-up
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
    const Cupti fake = played();
    TaskMap tasks;
    QCOMPARE(failureOf([&] { const KernelTracer tracer(fake, tasks); }),
             QString("tracing kernels failed: another profiler is at work in this process: run without it"));
    QCOMPARE(play.asked, QStringList({"subscribe"}));
}

void TestGpuCupti::sampleCounters_bufferRunsOver_triesCoarserIntervals()
{
    play.holdsFrom = 10'000;
    const Cupti fake = played();
    int runs = 0;
    const SampledRun sampled = sampleCounters(fake, 0, kShortNs, [&] { ++runs; });
    QCOMPARE(runs, 10); // five for each try
    QCOMPARE(sampled.intervalNs, std::int64_t{10'000});
    QCOMPARE(sampled.samples.size(), std::size_t{2}); // the first has no beginning
    QCOMPARE(sampled.samples[0].startNs, std::int64_t{10'000});
    QCOMPARE(sampled.samples[0].activeWarps, 11.0);
    QCOMPARE(sampled.samples[0].activePercent, 21.0);
    QCOMPARE(sampled.samples[1].dramBytesPerSecond, 32.0);
    // The second try begins anew: a buffer that ran over stays so, and to disable may end all of CUPTI's profiling.
    const QStringList once{"initialize", "enable", "configure", "start", "stop", "decode", "disable", "deinitialize"};
    QCOMPARE(play.asked, once + once);
    QCOMPARE(sampled.notes.size(), std::size_t{1});
    QCOMPARE(sampled.notes.front(), std::string("every 5 us: sampling active warps failed: there are more samples than "
                                                "the GPU's buffer holds"));
}

void TestGpuCupti::sampleCounters_imageFillsUp_losesNoSampleSilently()
{
    play.fitsFrom = 10'000;
    const SampledRun sampled = sampleCounters(played(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{10'000});
    QCOMPARE(play.asked.count("decode"), 2); // one each: after a full image the samples behind it are gone
    QCOMPARE(sampled.notes.front(),
             std::string("every 5 us: sampling active warps failed: there are more samples than expected"));
    // The room of the finer try is kept, for twice the time: what was expected was too little.
    QVERIFY(play.room * play.interval > 2 * 5 * (kShortNs + 1'000'000));
}

void TestGpuCupti::sampleCounters_longRuns_areFewerAndSampledMoreCoarsely_data()
{
    QTest::addColumn<qint64>("runNs");
    QTest::addColumn<int>("runs");
    QTest::addColumn<qint64>("intervalNs");
    QTest::newRow("1 ms") << qint64{1'000'000} << 5 << qint64{5'000};
    QTest::newRow("25 ms") << qint64{25'000'000} << 4 << qint64{5'000};
    QTest::newRow("100 ms") << qint64{100'000'000} << 1 << qint64{5'000};
    QTest::newRow("400 ms") << qint64{400'000'000} << 1 << qint64{20'000};
}

void TestGpuCupti::sampleCounters_longRuns_areFewerAndSampledMoreCoarsely()
{
    QFETCH(const qint64, runNs);
    QFETCH(const int, runs);
    QFETCH(const qint64, intervalNs);
    int ran = 0;
    const SampledRun sampled = sampleCounters(played(), 0, runNs, [&] { ++ran; });
    QCOMPARE(ran, runs);
    QCOMPARE(sampled.intervalNs, intervalNs);
    // All samples fit, also where the clocks are a quarter lower than they were; but not into any amount of memory.
    QVERIFY(play.room * intervalNs > runs * (runNs * 4 / 3 + 500'000));
    QVERIFY(play.room <= 1U << 15U);
}

void TestGpuCupti::sampleCounters_runTooLong_isRefusedInWords()
{
    QCOMPARE(failureOf([] { (void)sampleCounters(played(), 0, 60'000'000'000, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps failed: a run of the schedule is too long"));
}

void TestGpuCupti::sampleCounters_oneIntervalRefused_triesTheNext_data()
{
    QTest::addColumn<QByteArray>("broken");
    for (const char *call : {"configure", "start", "stop", "decode"})
        QTest::newRow(call) << QByteArray(call);
}

void TestGpuCupti::sampleCounters_oneIntervalRefused_triesTheNext()
{
    QFETCH(const QByteArray, broken);
    play.broken = broken.constData();
    play.worksFrom = 20'000;
    const SampledRun sampled = sampleCounters(played(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{20'000});
    QCOMPARE(sampled.notes.size(), std::size_t{2});
    QVERIFY(sampled.notes[1].starts_with("every 10 us: "));
    QVERIFY(sampled.notes[1].ends_with(" failed: CUPTI says CUPTI_ERROR_UNKNOWN"));
    QCOMPARE(play.asked.count("disable"), play.asked.count("enable"));
    QCOMPARE(play.asked.count("deinitialize"), play.asked.count("initialize"));
}

void TestGpuCupti::sampleCounters_notEnabledTwice_saysWhatWasBefore()
{
    play.fitsFrom = 10'000;
    Cupti fake = played();
    fake.cuptiPmSamplingEnable = [](CUpti_PmSampling_Enable_Params *enable) {
        enable->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object *>(&play);
        return note("enable", play.asked.contains("disable") ? CUPTI_ERROR_INVALID_OPERATION : CUPTI_SUCCESS);
    };
    QCOMPARE(
        failureOf([&] { (void)sampleCounters(fake, 0, kShortNs, [] {}); }),
        QString("sampling active warps failed: CUPTI says CUPTI_ERROR_INVALID_OPERATION (after every 5 us: sampling "
                "active warps failed: there are more samples than expected)"));
    QCOMPARE(play.asked.count("enable"), 2);
    QCOMPARE(play.asked.last(), QString("deinitialize"));
}

void TestGpuCupti::sampleCounters_allIntervalsRefused_saysWhy()
{
    play.broken = "start";
    play.worksFrom = UINT64_MAX;
    QCOMPARE(failureOf([] { (void)sampleCounters(played(), 0, kShortNs, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps failed: CUPTI says CUPTI_ERROR_UNKNOWN"));
    QCOMPARE(play.asked.count("stop"), 0);
    QCOMPARE(play.asked.last(), QString("deinitialize"));
}

void TestGpuCupti::sampleCounters_decodeStopsForAnotherReason_goesOn()
{
    play.reasons = {kOther, kOther};
    const SampledRun sampled = sampleCounters(played(), 0, kShortNs, [] {});
    QCOMPARE(play.asked.count("decode"), 3);
    QCOMPARE(sampled.samples.size(), std::size_t{8}); // nine but the first
    QVERIFY(sampled.notes.empty());
}

void TestGpuCupti::sampleCounters_neverEndsByItself_isReadUntilNothingComes()
{
    play.reasons.assign(100, kOther);
    play.empty = 2;
    const SampledRun sampled = sampleCounters(played(), 0, kShortNs, [] {});
    QCOMPARE(play.asked.count("decode"), 4);
    QCOMPARE(sampled.samples.size(), std::size_t{5});
}

void TestGpuCupti::sampleCounters_badSamples_areLeftOutAndTold()
{
    constexpr std::uint64_t kNow = 1'780'000'000'000'000'000;
    const auto at = [](std::uint64_t number) { return kNow + number * 5'000; };
    play.samples = {{kNow - 300'000'000, kNow}, // the first: all the time before
                    {at(2), at(3), 22},         // not in order
                    {at(0), at(1), 20},
                    {at(1), at(2), qQNaN()}, // 0 / 0
                    {at(1), at(2), -1},
                    {75'000'000'000'000, at(4)}, // began weeks ago
                    {0, 0},
                    {UINT64_MAX - 5'000, UINT64_MAX},
                    {at(3), at(4), 23},
                    {at(4), at(5), 24},
                    {at(5), at(6), 25},
                    {kNow, kNow}}; // of no length: after the end of sampling
    const SampledRun sampled = sampleCounters(played(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{5'000});
    std::vector<double> warps;
    for (const CounterSample &sample : sampled.samples)
        warps.push_back(sample.activeWarps);
    QVERIFY((warps == std::vector<double>{20, 22, 23, 24, 25}));
    QCOMPARE(sampled.notes.size(), std::size_t{1});
    QCOMPARE(sampled.notes.front(), std::string("5 of 10 samples had no time or value and were left out"));
}

void TestGpuCupti::sampleCounters_mostlyBadSamples_triesCoarserIntervals()
{
    play.samples = {{0, 0}, {0, 0}, {0, 0}, {5'000, 10'000}};
    const QString text = failureOf([] { (void)sampleCounters(played(), 0, kShortNs, [] {}); });
    QCOMPARE(text, QString("sampling active warps failed: most samples have no time or value"));
    QCOMPARE(play.interval, std::uint64_t{100'000});
}

void TestGpuCupti::sampleCounters_switchedOff_asksCuptiNothing()
{
    qputenv("STAGECRAFT_NO_SAMPLING", "1");
    const auto restore = qScopeGuard([] { qunsetenv("STAGECRAFT_NO_SAMPLING"); });
    QCOMPARE(failureOf([] { (void)sampleCounters(played(), 0, kShortNs, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps is switched off (STAGECRAFT_NO_SAMPLING)"));
    QVERIFY(play.asked.isEmpty());
}

void TestGpuCupti::sampleCounters_noPrivileges_saysWhichRightIsMissing()
{
    play.enable = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    const Cupti fake = played();
    const QString text = failureOf([&] { (void)sampleCounters(fake, 0, kShortNs, [] { QFAIL("it ran"); }); });
    QVERIFY2(text.startsWith("sampling active warps failed: the NVIDIA driver gives performance counters"),
             qPrintable(text));
    QCOMPARE(play.asked, QStringList({"initialize", "enable", "deinitialize"})); // nothing to disable
}

void TestGpuCupti::sampleCounters_virtualGpu_saysSo()
{
    play.vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    const Cupti fake = played();
    const QString text = failureOf([&] { (void)sampleCounters(fake, 0, kShortNs, [] {}); });
    QVERIFY2(text.contains("virtual machine"), qPrintable(text));
    QVERIFY(!play.asked.contains("enable"));
}

void TestGpuCupti::sampleCounters_runThatFails_stopsSamplingOnce()
{
    const Cupti fake = played();
    QCOMPARE(failureOf([&] {
                 (void)sampleCounters(fake, 0, kShortNs, [] {
                     throw Failure{{ErrorCode::DeviceFailed, "an illegal address", {}, {}}, true};
                 });
             }),
             QString("an illegal address"));
    QCOMPARE(play.asked,
             QStringList({"initialize", "enable", "configure", "start", "stop", "disable", "deinitialize"}));
}

QTEST_GUILESS_MAIN(TestGpuCupti)
#include "tst_gpu_cupti.moc"
