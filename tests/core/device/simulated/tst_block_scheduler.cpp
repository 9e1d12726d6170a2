#include "device/simulated/block_scheduler.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_block_scheduler {

namespace {

// 4 SMs of 64 warps, saturated by 8 warps; without ramp, so that times are easy to compute by hand.
SmLimits device()
{
    return SmLimits{.smCount = 4,
                    .blocks = 8,
                    .warps = 64,
                    .registers = 65536,
                    .sharedBytes = 65536,
                    .saturatingWarps = 8,
                    .dramBytesPerNs = 100,
                    .l2BytesPerNs = 1000,
                    .rampNs = 0};
}

// 8 warps a block: one block saturates an SM.
Kernel kernel(std::int64_t blocks, double smNs)
{
    Kernel k;
    k.grid = {blocks, 1, 1};
    k.threadsPerBlock = 256;
    k.registersPerThread = 32;
    k.smNsPerBlock = smNs;
    return k;
}

double alone(const SmLimits &limits, const Kernel &k)
{
    const Launch launch{&k, 0, 0};
    return BlockScheduler(limits).run({&launch, 1});
}

} // namespace

class TestBlockScheduler : public QObject {
    Q_OBJECT

private slots:
    void run_oneBlock_takesItsTime() { QCOMPARE(alone(device(), kernel(1, 100)), 100.0); }

    void run_fewWarps_leaveThroughputUnused()
    {
        Kernel k = kernel(1, 100);
        k.threadsPerBlock = 64; // 2 of the 8 warps that saturate an SM
        QCOMPARE(alone(device(), k), 100 / (0.25 * (2 - 0.25)));
    }

    void run_event_waitsForTheOtherStream()
    {
        SmLimits limits = device();
        limits.rampNs = 10;
        limits.eventNs = 7;
        const Kernel first = kernel(1, 100);
        const Kernel second = kernel(1, 50);
        const std::vector<Launch> launches{{&first, 0, 0}, {&second, 1, 0}};
        BlockScheduler scheduler(limits);
        QCOMPARE(scheduler.run(launches), 110.0); // side by side
        BlockTrace trace;
        QCOMPARE(scheduler.run(launches, &trace, {{}, {0}}), 110.0 + 7 + 10 + 50);
        QCOMPARE(trace.launches[1].startNs, 117.0);
        QCOMPARE(scheduler.run(launches), 110.0); // nothing of it stays
        // The one before it on its stream ends later than what it waits for.
        const std::vector<Launch> three{{&second, 0, 0}, {&first, 1, 0}, {&second, 1, 0}};
        QCOMPARE(scheduler.run(three, nullptr, {{}, {}, {0}}), 110.0 + 10 + 50);
        // Two events: the later one counts.
        const std::vector<Launch> join{{&second, 0, 0}, {&first, 1, 0}, {&second, 2, 0}};
        QCOMPARE(scheduler.run(join, nullptr, {{}, {}, {0, 1}}), 110.0 + 7 + 10 + 50);
    }

    void run_latency_isInAdditionForEachWave()
    {
        Kernel k = kernel(4, 100);
        k.latencyNsPerBlock = 10;
        QCOMPARE(alone(device(), k), 110.0);
        k.grid = {8, 1, 1}; // two on each SM: half the throughput each, one latency
        QCOMPARE(alone(device(), k), 210.0);
    }

    void run_blocksPerSm_shareIts_throughput() { QCOMPARE(alone(device(), kernel(8, 100)), 200.0); }

    void run_unevenGrid_waitsForTheFullerSms() { QCOMPARE(alone(device(), kernel(5, 100)), 200.0); }

    void run_moreThanFits_hasALastWave()
    {
        // 8 blocks fit on each SM, 32 at once; the 33rd runs alone afterwards.
        QCOMPARE(alone(device(), kernel(33, 100)), 800.0 + 100.0);
    }

    void run_registers_limitResidency()
    {
        Kernel k = kernel(4, 100);
        k.registersPerThread = 255;
        QCOMPARE(residentBlocks(device(), k), 1);
        k.grid = {5, 1, 1};
        QCOMPARE(alone(device(), k), 200.0);
    }

    void run_dramBound_takesBytesOverBandwidth()
    {
        Kernel k = kernel(4, 10);
        k.dramBytesPerBlock = 10000;
        QCOMPARE(alone(device(), k), 40000.0 / 100);
    }

    void run_twoStreams_overlap()
    {
        const Kernel k = kernel(2, 100);
        const std::vector<Launch> launches{{&k, 0, 0}, {&k, 1, 0}};
        QCOMPARE(BlockScheduler(device()).run(launches), 100.0);
    }

    void run_oneStream_isSerialWithRamps()
    {
        SmLimits limits = device();
        limits.rampNs = 5;
        const Kernel k = kernel(2, 100);
        const std::vector<Launch> launches{{&k, 0, 0}, {&k, 0, 1}};
        QCOMPARE(BlockScheduler(limits).run(launches), 210.0);
    }

    void run_lateLaunch_startsWhenItArrives()
    {
        const Kernel k = kernel(1, 100);
        const std::vector<Launch> launches{{&k, 0, 0}, {&k, 1, 70}};
        QCOMPARE(BlockScheduler(device()).run(launches), 170.0);
    }

    void run_waitingForMemory_leavesTheSmToOthers()
    {
        // The first kernel moves 1 byte per ns with throughput to spare; the second computes for 100 ns on the same SM.
        SmLimits limits = device();
        limits.smCount = 1;
        limits.dramBytesPerNs = 1;
        Kernel streaming = kernel(1, 1);
        streaming.dramBytesPerBlock = 1000;
        const Kernel computing = kernel(1, 100);
        const std::vector<Launch> launches{{&streaming, 0, 0}, {&computing, 1, 0}};
        BlockTrace trace;
        QCOMPARE(BlockScheduler(limits).run(launches, &trace), 1000.0);
        QVERIFY(trace.launches[1].endNs > 100);
        QVERIFY(trace.launches[1].endNs < 102);
    }

    void trace_samples_conserveWork()
    {
        Kernel k = kernel(37, 100);
        k.flops = 37000;
        k.dramBytesPerBlock = 50;
        const Launch launch{&k, 0, 0};
        BlockTrace trace;
        (void)BlockScheduler(device()).run({&launch, 1}, &trace);
        double flops = 0;
        double bytes = 0;
        for (std::size_t i = 0; i + 1 < trace.samples.size(); ++i) {
            const double ns = trace.samples[i + 1].fromNs - trace.samples[i].fromNs;
            flops += trace.samples[i].flopsPerNs * ns;
            bytes += trace.samples[i].dramBytesPerNs * ns;
            QVERIFY(trace.samples[i].activeWarps <= 4 * 64);
            QVERIFY(trace.samples[i].busySms <= 4);
        }
        QVERIFY(qAbs(flops - 37000) < 1e-6);
        QVERIFY(qAbs(bytes - 37 * 50) < 1e-6);
    }
};

STAGECRAFT_SUITE(TestBlockScheduler)

} // namespace tst_block_scheduler
#include "tst_block_scheduler.moc"
