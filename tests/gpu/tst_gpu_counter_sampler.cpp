// Sampling of counters with a fake CUPTI: the order of calls, retries at coarser intervals, which samples count, and
// how a refusal is reported.

#include "cupti_of_test.h"
#include "gpu/profile/counter_sampler.h"
#include "support/sanitized.h"
#include "support/suite.h"

#include <QScopeGuard>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_counter_sampler {

class TestGpuCounterSampler : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (kSanitized)
            QSKIP("CUPTI opens libnvperf_host with RTLD_DEEPBIND, which sanitizers do not bear");
    }
    void init();
    void sampleCounters_bufferRunsOver_triesCoarserIntervals();
    void sampleCounters_shortRuns_haveRoomForSurprises();
    void sampleCounters_imageFillsUp_samplesAgainWithMoreRoom();
    void sampleCounters_imageFullWithAllRoom_triesCoarserIntervals();
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
    void sampleCounters_supportedInSpiteOfAField_samples();
    void sampleCounters_runThatFails_stopsSamplingOnce();
};

namespace {

constexpr CUpti_PmSampling_DecodeStopReason kOther = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;
constexpr std::int64_t kShortNs = 100'000; // duration of a run

} // namespace

void TestGpuCounterSampler::init()
{
    play = {};
}

void TestGpuCounterSampler::sampleCounters_bufferRunsOver_triesCoarserIntervals()
{
    play.holdsFrom = 10'000;
    const Cupti fake = playedCupti();
    int runs = 0;
    const SampledRun sampled = sampleCounters(fake, 0, kShortNs, [&] { ++runs; });
    QCOMPARE(runs, 10); // five per try
    QCOMPARE(sampled.intervalNs, std::int64_t{10'000});
    QCOMPARE(sampled.samples.size(), std::size_t{2}); // the first has no start
    QCOMPARE(sampled.samples[0].startNs, std::int64_t{10'000});
    QCOMPARE(sampled.samples[0].activeWarps, 11.0);
    QCOMPARE(sampled.samples[0].activePercent, 21.0);
    QCOMPARE(sampled.samples[1].dramBytesPerSecond, 32.0);
    // The second try starts from scratch: a full buffer stays full, and disabling may end all of CUPTI's profiling.
    const QStringList once{"initialize", "enable", "configure", "start", "stop", "decode", "disable", "deinitialize"};
    QCOMPARE(play.asked, once + once);
    QCOMPARE(sampled.notes.size(), std::size_t{1});
    QCOMPARE(sampled.notes.front(), std::string("every 5 us: sampling active warps failed: there are more samples than "
                                                "the GPU's buffer holds"));
}

void TestGpuCounterSampler::sampleCounters_shortRuns_haveRoomForSurprises()
{
    (void)sampleCounters(playedCupti(), 0, 1'000, [] {});
    QCOMPARE(play.room, 8192U);
}

void TestGpuCounterSampler::sampleCounters_imageFillsUp_samplesAgainWithMoreRoom()
{
    play.roomNeeded = 20'000;
    int runs = 0;
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [&] { ++runs; });
    QCOMPARE(sampled.intervalNs, std::int64_t{5'000}); // as fine as before
    QVERIFY(sampled.notes.empty());
    QCOMPARE(play.room, 4 * 8192U);
    QCOMPARE(runs, 15); // 8192, 16384, 32768
    // One profiler for all of them; one decoding each: after a full image, later samples are lost.
    const QStringList again{"start", "stop", "decode"};
    QCOMPARE(play.asked, QStringList({"initialize", "enable", "configure"}) + again + again + again +
                             QStringList({"disable", "deinitialize"}));
}

void TestGpuCounterSampler::sampleCounters_imageFullWithAllRoom_triesCoarserIntervals()
{
    play.fitsFrom = 10'000;
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{10'000});
    QCOMPARE(play.asked.count("decode"), 4);
    QCOMPARE(play.asked.count("enable"), 2);
    QCOMPARE(sampled.notes.front(),
             std::string("every 5 us: sampling active warps failed: there are more samples than expected"));
}

void TestGpuCounterSampler::sampleCounters_longRuns_areFewerAndSampledMoreCoarsely_data()
{
    QTest::addColumn<qint64>("runNs");
    QTest::addColumn<int>("runs");
    QTest::addColumn<qint64>("intervalNs");
    QTest::newRow("1 ms") << qint64{1'000'000} << 5 << qint64{5'000};
    QTest::newRow("25 ms") << qint64{25'000'000} << 4 << qint64{5'000};
    QTest::newRow("100 ms") << qint64{100'000'000} << 1 << qint64{5'000};
    QTest::newRow("400 ms") << qint64{400'000'000} << 1 << qint64{20'000};
}

void TestGpuCounterSampler::sampleCounters_longRuns_areFewerAndSampledMoreCoarsely()
{
    QFETCH(const qint64, runNs);
    QFETCH(const int, runs);
    QFETCH(const qint64, intervalNs);
    int ran = 0;
    const SampledRun sampled = sampleCounters(playedCupti(), 0, runNs, [&] { ++ran; });
    QCOMPARE(ran, runs);
    QCOMPARE(sampled.intervalNs, intervalNs);
    // All samples fit, even if the clocks are a quarter lower, but memory is limited.
    QVERIFY(play.room * intervalNs > runs * (runNs * 4 / 3 + 500'000));
    QVERIFY(play.room <= 1U << 15U);
}

void TestGpuCounterSampler::sampleCounters_runTooLong_isRefusedInWords()
{
    QCOMPARE(failureOf([] { (void)sampleCounters(playedCupti(), 0, 60'000'000'000, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps failed: a run of the schedule is too long"));
}

void TestGpuCounterSampler::sampleCounters_oneIntervalRefused_triesTheNext_data()
{
    QTest::addColumn<QByteArray>("broken");
    for (const char *call : {"configure", "start", "stop", "decode"})
        QTest::newRow(call) << QByteArray(call);
}

void TestGpuCounterSampler::sampleCounters_oneIntervalRefused_triesTheNext()
{
    QFETCH(const QByteArray, broken);
    play.broken = broken.constData();
    play.worksFrom = 20'000;
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{20'000});
    QCOMPARE(sampled.notes.size(), std::size_t{2});
    QVERIFY(sampled.notes[1].starts_with("every 10 us: "));
    QVERIFY(sampled.notes[1].ends_with(" failed: CUPTI says CUPTI_ERROR_UNKNOWN"));
    QCOMPARE(play.asked.count("disable"), play.asked.count("enable"));
    QCOMPARE(play.asked.count("deinitialize"), play.asked.count("initialize"));
}

void TestGpuCounterSampler::sampleCounters_notEnabledTwice_saysWhatWasBefore()
{
    play.fitsFrom = 10'000;
    Cupti fake = playedCupti();
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

void TestGpuCounterSampler::sampleCounters_allIntervalsRefused_saysWhy()
{
    play.broken = "start";
    play.worksFrom = UINT64_MAX;
    QCOMPARE(failureOf([] { (void)sampleCounters(playedCupti(), 0, kShortNs, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps failed: CUPTI says CUPTI_ERROR_UNKNOWN"));
    QCOMPARE(play.asked.count("stop"), 0);
    QCOMPARE(play.asked.last(), QString("deinitialize"));
}

void TestGpuCounterSampler::sampleCounters_decodeStopsForAnotherReason_goesOn()
{
    play.reasons = {kOther, kOther};
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [] {});
    QCOMPARE(play.asked.count("decode"), 3);
    QCOMPARE(sampled.samples.size(), std::size_t{8}); // nine without the first
    QVERIFY(sampled.notes.empty());
}

void TestGpuCounterSampler::sampleCounters_neverEndsByItself_isReadUntilNothingComes()
{
    play.reasons.assign(100, kOther);
    play.empty = 2;
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [] {});
    QCOMPARE(play.asked.count("decode"), 4);
    QCOMPARE(sampled.samples.size(), std::size_t{5});
}

void TestGpuCounterSampler::sampleCounters_badSamples_areLeftOutAndTold()
{
    constexpr std::uint64_t kNow = 1'780'000'000'000'000'000;
    const auto at = [](std::uint64_t number) { return kNow + number * 5'000; };
    play.samples = {{kNow - 300'000'000, kNow}, // the first sample covers all the time before
                    {at(2), at(3), 22},         // out of order
                    {at(0), at(1), 20},
                    {at(1), at(2), qQNaN()}, // 0 / 0
                    {at(1), at(2), -1},
                    {75'000'000'000'000, at(4)}, // started weeks ago
                    {0, 0},
                    {UINT64_MAX - 5'000, UINT64_MAX},
                    {at(3), at(4), 23},
                    {at(4), at(5), 24},
                    {at(5), at(6), 25},
                    {kNow, kNow}}; // of zero length: after the end of sampling
    const SampledRun sampled = sampleCounters(playedCupti(), 0, kShortNs, [] {});
    QCOMPARE(sampled.intervalNs, std::int64_t{5'000});
    std::vector<double> warps;
    for (const CounterSample &sample : sampled.samples)
        warps.push_back(sample.activeWarps);
    QVERIFY((warps == std::vector<double>{20, 22, 23, 24, 25}));
    QCOMPARE(sampled.notes.size(), std::size_t{1});
    QCOMPARE(sampled.notes.front(), std::string("5 of 10 samples had no time or value and were left out"));
}

void TestGpuCounterSampler::sampleCounters_mostlyBadSamples_triesCoarserIntervals()
{
    play.samples = {{0, 0}, {0, 0}, {0, 0}, {5'000, 10'000}};
    const QString text = failureOf([] { (void)sampleCounters(playedCupti(), 0, kShortNs, [] {}); });
    QCOMPARE(text, QString("sampling active warps failed: most samples have no time or value"));
    QCOMPARE(play.interval, std::uint64_t{100'000});
}

void TestGpuCounterSampler::sampleCounters_switchedOff_asksCuptiNothing()
{
    qputenv("STAGECRAFT_NO_SAMPLING", "1");
    const auto restore = qScopeGuard([] { qunsetenv("STAGECRAFT_NO_SAMPLING"); });
    QCOMPARE(failureOf([] { (void)sampleCounters(playedCupti(), 0, kShortNs, [] { QFAIL("it ran"); }); }),
             QString("sampling active warps is switched off (STAGECRAFT_NO_SAMPLING)"));
    QVERIFY(play.asked.isEmpty());
}

void TestGpuCounterSampler::sampleCounters_noPrivileges_saysWhichRightIsMissing()
{
    play.enable = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    const Cupti fake = playedCupti();
    const QString text = failureOf([&] { (void)sampleCounters(fake, 0, kShortNs, [] { QFAIL("it ran"); }); });
    QVERIFY2(text.startsWith("sampling active warps failed: the NVIDIA driver allows performance counters"),
             qPrintable(text));
    QCOMPARE(play.asked, QStringList({"initialize", "enable", "deinitialize"})); // there is nothing to disable
}

void TestGpuCounterSampler::sampleCounters_virtualGpu_saysSo()
{
    play.vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    play.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    const Cupti fake = playedCupti();
    const QString text = failureOf([&] { (void)sampleCounters(fake, 0, kShortNs, [] {}); });
    QVERIFY2(text.contains("virtual machine"), qPrintable(text));
    QVERIFY(!play.asked.contains("enable"));
}

void TestGpuCounterSampler::sampleCounters_supportedInSpiteOfAField_samples()
{
    play.vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    QVERIFY(!sampleCounters(playedCupti(), 0, kShortNs, [] {}).samples.empty());
}

void TestGpuCounterSampler::sampleCounters_runThatFails_stopsSamplingOnce()
{
    const Cupti fake = playedCupti();
    QCOMPARE(failureOf([&] {
                 (void)sampleCounters(fake, 0, kShortNs, [] {
                     throw Failure{{ErrorCode::DeviceFailed, "an illegal address", {}, {}}, true};
                 });
             }),
             QString("an illegal address"));
    QCOMPARE(play.asked,
             QStringList({"initialize", "enable", "configure", "start", "stop", "disable", "deinitialize"}));
}

STAGECRAFT_SUITE(TestGpuCounterSampler)

} // namespace tst_gpu_counter_sampler
#include "tst_gpu_counter_sampler.moc"
