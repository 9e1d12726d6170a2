// Ranges and moments of timelines: against sums over all kernels, and the reasons why a row is idle.

#include "support/suite.h"
#include "timing/timeline/timeline_index.h"
#include "timing/timeline/timeline_rows.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <set>

using namespace stagecraft;

namespace tst_timeline_index {

namespace {

// Stages with a barrier after each; in each some streams with kernels one after the other, with gaps between.
std::shared_ptr<const Timeline> randomTimeline(std::uint32_t seed, std::size_t stages, std::size_t streams)
{
    std::mt19937 random(seed);
    const auto upTo = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1)); };
    auto timeline = std::make_shared<Timeline>();
    timeline->streams = streams;
    std::int64_t now = 0;
    std::uint32_t op = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        std::int64_t end = now + 1;
        for (std::size_t stream = 0; stream < streams; ++stream) {
            std::int64_t at = now + upTo(5);
            for (std::int64_t i = upTo(stream == 0 ? 4 : 3) + (stream == 0 ? 1 : 0); i > 0; --i) {
                KernelSpan &kernel = timeline->kernels.emplace_back();
                kernel.name = "kernel";
                kernel.operators = {OperatorId{op++ / 2}};
                kernel.stage = stage;
                kernel.stream = stream;
                kernel.threadsPerBlock = 32;
                kernel.startNs = at;
                kernel.endNs = at + 1 + upTo(30);
                kernel.bytes = static_cast<double>(upTo(1000));
                kernel.flops = static_cast<double>(upTo(1000));
                at = kernel.endNs + upTo(6);
                end = std::max(end, kernel.endNs);
            }
        }
        timeline->stages.push_back({stage, now, end});
        now = end + upTo(9);
    }
    timeline->durationNs = now;
    std::ranges::stable_sort(timeline->kernels, {}, &KernelSpan::startNs);
    return timeline;
}

} // namespace

class TestTimelineIndex : public QObject {
    Q_OBJECT

private slots:
    void statistics_ofRandomRanges_areSumsOverAllKernels_data();
    void statistics_ofRandomRanges_areSumsOverAllKernels();
    void kernelAt_everyMoment_isTheOneThatRuns();
    void gapAt_everyMoment_isExplained();
    void gaps_ofAStage_areLaunchWaitAndBarrier();
    void statistics_kernelOnSeveralThreads_countsOnce();
    void endOf_kernelOfMinutes_isExact();
    void rangeOf_operatorWithoutKernels_isNone();
    void rows_kernelOnNone_isLeftOut();
};

void TestTimelineIndex::statistics_ofRandomRanges_areSumsOverAllKernels_data()
{
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("streams");
    QTest::newRow("statistics_oneStream_areSums") << 1 << 40 << 1;
    QTest::newRow("statistics_fourStreams_areSums") << 2 << 60 << 4;
    QTest::newRow("statistics_oneStage_areSums") << 3 << 1 << 3;
    QTest::newRow("statistics_manyStages_areSums") << 4 << 400 << 3; // several stored sums
}

void TestTimelineIndex::statistics_ofRandomRanges_areSumsOverAllKernels()
{
    QFETCH(int, seed);
    QFETCH(int, stages);
    QFETCH(int, streams);
    const auto timeline = randomTimeline(static_cast<std::uint32_t>(seed), static_cast<std::size_t>(stages),
                                         static_cast<std::size_t>(streams));
    const TimelineIndex index(timeline);
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::int64_t from = static_cast<std::int64_t>(random() % static_cast<unsigned>(timeline->durationNs));
        std::int64_t to = static_cast<std::int64_t>(random() % static_cast<unsigned>(timeline->durationNs));
        if (from > to)
            std::swap(from, to);
        if (from == to)
            ++to;
        std::vector<bool> covered(static_cast<std::size_t>(to - from), false);
        std::vector<std::int64_t> busy(timeline->streams, 0);
        std::size_t kernels = 0;
        double bytes = 0;
        double flops = 0;
        for (const KernelSpan &kernel : timeline->kernels) {
            const std::int64_t first = std::max(from, kernel.startNs);
            const std::int64_t last = std::min(to, kernel.endNs);
            if (first >= last)
                continue;
            std::fill(covered.begin() + (first - from), covered.begin() + (last - from), true);
            busy[kernel.stream] += last - first;
            ++kernels;
            const double share = static_cast<double>(last - first) / static_cast<double>(kernel.endNs - kernel.startNs);
            bytes += kernel.bytes * share;
            flops += kernel.flops * share;
        }
        const RangeStatistics statistics = index.statistics({from, to});
        QCOMPARE(statistics.busyNs, static_cast<std::int64_t>(std::count(covered.begin(), covered.end(), true)));
        QCOMPARE(statistics.idleNs, to - from - statistics.busyNs);
        QCOMPARE(statistics.kernels, kernels);
        QVERIFY(std::abs(statistics.bytes - bytes) < 1e-6 * (1 + bytes));
        QVERIFY(std::abs(statistics.flops - flops) < 1e-6 * (1 + flops));
        for (std::size_t row = 0; row < timeline->streams; ++row)
            QCOMPARE(index.busyNs(row, {from, to}), busy[row]);
    }
}

void TestTimelineIndex::kernelAt_everyMoment_isTheOneThatRuns()
{
    const auto timeline = randomTimeline(5, 30, 3);
    const TimelineIndex index(timeline);
    for (std::int64_t ns = 0; ns < timeline->durationNs; ++ns) {
        for (std::size_t row = 0; row < index.rows(); ++row) {
            const auto runs = std::ranges::find_if(timeline->kernels, [&](const KernelSpan &kernel) {
                return kernel.stream == row && kernel.startNs <= ns && ns < kernel.endNs;
            });
            QCOMPARE(index.kernelAt(row, ns), runs == timeline->kernels.end() ? nullptr : &*runs);
        }
    }
}

void TestTimelineIndex::gapAt_everyMoment_isExplained()
{
    const auto timeline = randomTimeline(6, 40, 3);
    const TimelineIndex index(timeline);
    for (std::int64_t ns = 0; ns < timeline->durationNs; ++ns) {
        std::set<GapKind> kinds;
        for (std::size_t row = 0; row < index.rows(); ++row) {
            const auto gap = index.gapAt(row, ns);
            QCOMPARE(gap.has_value(), index.kernelAt(row, ns) == nullptr);
            if (!gap)
                continue;
            QVERIFY(gap->range.fromNs <= ns && ns < gap->range.toNs);
            kinds.insert(gap->kind);
            if (gap->kind == GapKind::Barrier)
                QCOMPARE(index.statistics(gap->range).kernels, std::size_t{0});
            else if (gap->kind != GapKind::Unused)
                QCOMPARE(index.busyNs(row, gap->range), std::int64_t{0});
        }
        QVERIFY(!kinds.contains(GapKind::Barrier) || kinds.size() == 1); // all rows at once
    }
}

void TestTimelineIndex::gaps_ofAStage_areLaunchWaitAndBarrier()
{
    auto timeline = std::make_shared<Timeline>();
    timeline->streams = 3;
    timeline->durationNs = 130;
    timeline->stages = {{0, 0, 100}, {1, 110, 130}};
    const auto add = [&](std::size_t stage, std::size_t stream, std::int64_t from, std::int64_t to) {
        KernelSpan &kernel = timeline->kernels.emplace_back();
        kernel.stage = stage;
        kernel.stream = stream;
        kernel.threadsPerBlock = 1;
        kernel.startNs = from;
        kernel.endNs = to;
    };
    add(0, 0, 0, 90);
    add(0, 1, 5, 40);
    add(0, 1, 45, 60);
    add(1, 0, 115, 130);
    const TimelineIndex index(timeline);
    QVERIFY(index.gapAt(1, 2) == (Gap{GapKind::Launch, {0, 5}, 0}));
    QVERIFY(index.gapAt(1, 42) == (Gap{GapKind::Launch, {40, 45}, 0}));
    QVERIFY(index.gapAt(1, 60) == (Gap{GapKind::Wait, {60, 90}, 0}));
    QVERIFY(index.gapAt(1, 95) == (Gap{GapKind::Barrier, {90, 110}, 0}));
    QVERIFY(index.gapAt(2, 50) == (Gap{GapKind::Unused, {0, 90}, 0}));
    QVERIFY(index.gapAt(0, 112) == (Gap{GapKind::Launch, {110, 115}, 1}));
    QVERIFY(!index.gapAt(0, 50));
    QVERIFY(!index.gapAt(0, 130));
}

void TestTimelineIndex::statistics_kernelOnSeveralThreads_countsOnce()
{
    auto timeline = std::make_shared<Timeline>();
    timeline->streams = 4;
    timeline->durationNs = 100;
    KernelSpan &kernel = timeline->kernels.emplace_back();
    kernel.operators = {OperatorId{0}};
    kernel.grid = {3, 1, 1};
    kernel.stream = 1;
    kernel.startNs = 10;
    kernel.endNs = 90;
    kernel.bytes = 80;
    const TimelineIndex index(timeline);
    const RangeStatistics statistics = index.statistics({50, 100});
    QCOMPARE(statistics.kernels, std::size_t{1});
    QCOMPARE(statistics.busyNs, std::int64_t{40});
    QCOMPARE(statistics.bytes, 40.0);
    QCOMPARE(index.busyNs(0, {0, 100}), std::int64_t{0});
    QCOMPARE(index.busyNs(3, {0, 100}), std::int64_t{80});
}

void TestTimelineIndex::endOf_kernelOfMinutes_isExact()
{
    auto timeline = std::make_shared<Timeline>();
    timeline->streams = 1;
    timeline->durationNs = 300'000'000'001;
    KernelSpan &kernel = timeline->kernels.emplace_back();
    kernel.threadsPerBlock = 1;
    kernel.endNs = 300'000'000'001;
    const TimelineIndex index(timeline);
    QCOMPARE(index.endOf(index.row(0)[0]), std::int64_t{300'000'000'001});
    QCOMPARE(index.busyNs(0, {0, 300'000'000'001}), std::int64_t{300'000'000'001});
}

void TestTimelineIndex::rangeOf_operatorWithoutKernels_isNone()
{
    const auto timeline = randomTimeline(8, 3, 2);
    const TimelineIndex index(timeline);
    QVERIFY(!index.rangeOf(OperatorId{9999}));
    QVERIFY(!index.rangeOfStage(9999));
    const auto first = index.rangeOf(OperatorId{0});
    QVERIFY(first && first->sizeNs() > 0);
}

void TestTimelineIndex::rows_kernelOnNone_isLeftOut()
{
    auto timeline = std::make_shared<Timeline>();
    timeline->streams = 1;
    timeline->durationNs = 10;
    KernelSpan &kernel = timeline->kernels.emplace_back();
    kernel.stream = 4'000'000'000; // from a broken worker
    kernel.threadsPerBlock = 1;
    kernel.endNs = 10;
    const TimelineIndex index(timeline);
    QCOMPARE(index.rows(), std::size_t{1});
    QVERIFY(index.row(0).empty() && !index.kernelAt(0, 5));
}

STAGECRAFT_SUITE(TestTimelineIndex)

} // namespace tst_timeline_index
#include "tst_timeline_index.moc"
