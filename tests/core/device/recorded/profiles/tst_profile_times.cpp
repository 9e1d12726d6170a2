#include "device/recorded/profiles/profile_times.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace stagecraft;

namespace tst_profile_times {

namespace {

ProfiledKernel kernel(const std::string &name, std::int64_t startNs, std::int64_t durationNs, std::uint32_t stream = 0)
{
    ProfiledKernel made{.name = name};
    made.startNs = startNs;
    made.durationNs = durationNs;
    made.stream = stream;
    made.launchedNs = startNs - 1000;
    return made;
}

Profile profileOf(std::vector<ProfiledKernel> kernels)
{
    Profile profile{.format = "pytorch"};
    profile.streams = {{"stream 7"}, {"stream 20"}, {"stream 24"}};
    profile.kernels = std::move(kernels);
    return profile;
}

KernelPlaces all(const Profile &profile)
{
    KernelPlaces places(profile.kernels.size());
    std::iota(places.begin(), places.end(), 0);
    return places;
}

// A run of kernels a, b, c that begins there.
void addRun(std::vector<ProfiledKernel> &kernels, std::int64_t startNs, std::int64_t lengthNs = 10)
{
    for (const char *name : {"a", "b", "c"}) {
        kernels.push_back(kernel(name, startNs, lengthNs));
        startNs += lengthNs + 1;
    }
}

} // namespace

class TestProfileTimes : public QObject {
    Q_OBJECT

private slots:
    void timesOf_slices_addUp_data();
    void timesOf_slices_addUp();
    void timesOf_randomSlices_equalCountingEachNanosecond();
    void runsOf_repeatedSequence_isFound();
    void runsOf_firstKernelsMissing_leavesTheirRunOut();
    void runsOf_fewerKernelsThanTheModelNeeds_isOneRun();
    void longestChain_alongStreamsAndEvents_waits();
    void longestChain_ofAGraphOnOneStream_leavesParallelKernelsBeside();
    void profileTimes_severalRuns_takeTheMedianOne();
    void profileTimes_withoutKernels_areEmpty();
};

void TestProfileTimes::timesOf_slices_addUp_data()
{
    QTest::addColumn<QList<QList<int>>>("slices"); // start, duration, stream
    QTest::addColumn<QList<int>>("expected");      // sum, busy, overlap, gaps, span
    using Slices = QList<QList<int>>;
    QTest::newRow("one behind the other") << Slices{{0, 10, 0}, {10, 5, 0}} << QList{15, 15, 0, 0, 15};
    QTest::newRow("a gap") << Slices{{0, 10, 0}, {12, 5, 0}} << QList{15, 15, 0, 2, 17};
    QTest::newRow("two streams") << Slices{{0, 10, 0}, {5, 10, 1}} << QList{20, 15, 5, 0, 15};
    QTest::newRow("overlap on one row") << Slices{{0, 10, 0}, {9, 10, 0}} << QList{20, 19, 1, 0, 19};
    QTest::newRow("one within another") << Slices{{0, 20, 0}, {5, 5, 1}, {22, 1, 0}} << QList{26, 21, 5, 2, 23};
    QTest::newRow("no length") << Slices{{0, 0, 0}, {5, 0, 0}, {5, 10, 0}, {7, 0, 1}} << QList{10, 10, 0, 5, 15};
    QTest::newRow("nothing but no length") << Slices{{3, 0, 0}} << QList{0, 0, 0, 0, 0};
}

void TestProfileTimes::timesOf_slices_addUp()
{
    QFETCH(QList<QList<int>>, slices);
    QFETCH(QList<int>, expected);
    std::vector<ProfiledKernel> kernels;
    for (const QList<int> &slice : slices)
        kernels.push_back(kernel("k", slice[0], slice[1], static_cast<std::uint32_t>(slice[2])));
    kernels.push_back(kernel("copy", 100, 50));
    kernels.back().kind = ProfiledKind::Copy;
    const Profile profile = profileOf(std::move(kernels));
    const RunTimes times = timesOf(profile, all(profile));
    QCOMPARE(times.kernels, static_cast<std::size_t>(slices.size()));
    QCOMPARE(times.memoryNs, 50);
    QVERIFY(times.sumNs == expected[0] && times.busyNs == expected[1] && times.overlapNs == expected[2]);
    QVERIFY(times.gapsNs == expected[3] && times.spanNs == expected[4]);
}

void TestProfileTimes::timesOf_randomSlices_equalCountingEachNanosecond()
{
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::vector<ProfiledKernel> kernels;
        std::vector<int> running(400, 0);
        std::int64_t first = 400;
        std::int64_t last = 0;
        for (int k = 0; k < 1 + i % 12; ++k) {
            const auto start = static_cast<std::int64_t>(random() % 300);
            const auto length = static_cast<std::int64_t>(random() % 60);
            kernels.push_back(kernel("k", start, length, random() % 3));
            for (std::int64_t ns = start; ns < start + length; ++ns)
                ++running[static_cast<std::size_t>(ns)];
            first = std::min(first, start);
            last = std::max(last, start + length);
        }
        const Profile profile = profileOf(std::move(kernels));
        const RunTimes times = timesOf(profile, all(profile));
        QCOMPARE(*times.busyNs, std::ranges::count_if(running, [](int count) { return count > 0; }));
        QCOMPARE(times.sumNs, std::accumulate(running.begin(), running.end(), std::int64_t{0}));
        QCOMPARE(*times.spanNs, last - first);
        QCOMPARE(times.sumNs - *times.overlapNs, *times.busyNs);
        QCOMPARE(*times.busyNs + *times.gapsNs, *times.spanNs);
    }
}

void TestProfileTimes::runsOf_repeatedSequence_isFound()
{
    std::vector<ProfiledKernel> kernels{kernel("warm-up", 0, 5), kernel("c", 6, 5)};
    for (const std::int64_t begin : {100, 200, 300, 400})
        addRun(kernels, begin);
    const Profile profile = profileOf(std::move(kernels));
    const ProfiledRuns runs = runsOf(profile);
    QVERIFY(runs.foundBy == ProfiledRuns::FoundBy::Sequence);
    QCOMPARE(runs.runs.size(), 4U);
    QCOMPARE(runs.leftOut, 2U);
    for (const KernelPlaces &run : runs.runs)
        QCOMPARE(profile.kernels[run.front()].name, std::string("a"));
}

// The trace begins in the middle of a run, and ends in one.
void TestProfileTimes::runsOf_firstKernelsMissing_leavesTheirRunOut()
{
    std::vector<ProfiledKernel> kernels;
    for (const std::int64_t begin : {100, 200, 300, 400})
        addRun(kernels, begin);
    kernels.erase(kernels.begin());
    const Profile profile = profileOf(std::move(kernels));
    const ProfiledRuns runs = runsOf(profile);
    QCOMPARE(runs.runs.size(), 3U);
    QCOMPARE(runs.leftOut, 2U);
    for (const KernelPlaces &run : runs.runs)
        QCOMPARE(profile.kernels[run.front()].name, std::string("a"));
}

// Layers of a network repeat themselves, too.
void TestProfileTimes::runsOf_fewerKernelsThanTheModelNeeds_isOneRun()
{
    std::vector<ProfiledKernel> kernels;
    for (const std::int64_t begin : {100, 200, 300, 400})
        addRun(kernels, begin);
    const Profile profile = profileOf(std::move(kernels));
    QCOMPARE(runsOf(profile, 7).runs.size(), 1U);
    QVERIFY(runsOf(profile, 7).foundBy == ProfiledRuns::FoundBy::Nothing);
    const Profile three = profileOf({kernel("sgemm", 0, 5), kernel("sgemm", 10, 5), kernel("sgemm", 20, 5)});
    QCOMPARE(runsOf(three).runs.size(), 1U);
}

void TestProfileTimes::longestChain_alongStreamsAndEvents_waits()
{
    Profile profile = profileOf({kernel("long", 0, 100, 0), kernel("beside", 10, 5, 1), kernel("behind", 200, 7, 1)});
    const KernelChain apart = longestChain(profile, all(profile));
    QCOMPARE(apart.lengthNs, 100);
    QVERIFY(!apart.followsEvents);
    const std::int64_t launch = *profile.kernels[2].launchedNs;
    profile.waits.push_back({1, 0, launch - 10, launch - 5});
    const KernelChain waiting = longestChain(profile, all(profile));
    QCOMPARE(waiting.lengthNs, 107);
    QVERIFY(waiting.followsEvents);
    QVERIFY(waiting.kernels == (KernelPlaces{0, 2}));
}

void TestProfileTimes::longestChain_ofAGraphOnOneStream_leavesParallelKernelsBeside()
{
    Profile profile =
        profileOf({kernel("a", 0, 10), kernel("left", 10, 30), kernel("right", 12, 20), kernel("b", 40, 5)});
    for (std::size_t i = 0; i < profile.kernels.size(); ++i)
        profile.kernels[i].graphNode = static_cast<std::int64_t>(i + 1);
    const RunTimes times = timesOf(profile, all(profile));
    QVERIFY(times.overlapNs == 20 && times.spanNs == 45);
    const KernelChain chain = longestChain(profile, all(profile));
    QCOMPARE(chain.lengthNs, 45);
    QVERIFY(chain.kernels == (KernelPlaces{0, 1, 3}));
}

void TestProfileTimes::profileTimes_severalRuns_takeTheMedianOne()
{
    std::vector<ProfiledKernel> kernels;
    addRun(kernels, 0, 3000);
    addRun(kernels, 100'000, 1000);
    addRun(kernels, 200'000, 2000);
    const ProfileTimes times = profileTimes(profileOf(std::move(kernels)));
    QCOMPARE(times.typical, 2U);
    QCOMPARE(*times.latencyUs, 6.002);
    QCOMPARE(times.times.sumNs, 6000);
    QCOMPARE(times.spread->leastUs, 3.002);
    QCOMPARE(times.spread->mostUs, 9.002);
    QCOMPARE(*times.spread->stddevUs, 3.0);
    QCOMPARE(times.differences.size(), 1U);
    QVERIFY(times.differences[0].cause == TimeCause::Gaps);
}

void TestProfileTimes::profileTimes_withoutKernels_areEmpty()
{
    const ProfileTimes times = profileTimes(profileOf({}));
    QCOMPARE(times.runs.runs.size(), 1U);
    QVERIFY(!times.latencyUs && !times.times.busyNs && times.differences.empty());
}

STAGECRAFT_SUITE(TestProfileTimes)

} // namespace tst_profile_times
#include "tst_profile_times.moc"
