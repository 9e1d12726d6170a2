// The way to streams on a device: what a stop leaves, and what a search is held against.

#include "device/simulated/simulated_device.h"
#include "flow/find_schedule.h"
#include "schedule/verify.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_find_streams {
namespace {

struct Opened {
    Model model;
    std::unique_ptr<Device> device;
    std::unique_ptr<DeviceSession> session;
};

Opened open(const char *name, const char *device)
{
    Opened opened{*openedModel(name), *openSimulatedDevice(device), nullptr};
    opened.session = *opened.device->open(opened.model.graph);
    return opened;
}

SearchRequest wanting(StreamKind kind)
{
    return {.streams = StreamsWanted{.kind = kind}};
}

double leastOf(const FoundSchedule &found)
{
    return std::ranges::min(found.streams->starts, {}, &StreamStart::latencyUs).latencyUs;
}

} // namespace

class TestFindStreams : public QObject {
    Q_OBJECT

private slots:
    void find_stopped_keepsTheBest();
    void find_stagesStayFastest_areTheAnswer();
    void find_kinds_haveTheirNames();
};

void TestFindStreams::find_stopped_keepsTheBest()
{
    const Opened on = open("squeezenet", "v100");
    std::stop_source stop;
    SearchCallbacks callbacks;
    int calls = 0;
    callbacks.searchForStreams = [&](std::int64_t timed, double bestUs) {
        QVERIFY(timed > 0 && bestUs > 0);
        ++calls;
        stop.request_stop();
    };
    const auto found = findSchedule(on.model, *on.session, on.device->info(), wanting(StreamKind::Searched), callbacks,
                                    stop.get_token());
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QCOMPARE(calls, 1);
    QCOMPARE(*found->streams->ended, std::string("stopped"));
    QVERIFY(verifySchedule(*on.model.graph, on.model.blocks, found->schedule));
    QVERIFY(*found->schedule.latencyUs() <= leastOf(*found));
    // As of stages: with nothing measured there is nothing to keep.
    const auto none =
        findSchedule(on.model, *on.session, on.device->info(), wanting(StreamKind::Searched), {}, stop.get_token());
    QVERIFY(!none && none.error().code == ErrorCode::Cancelled);
}

// From one CUDA graph, where barriers cost nothing.
void TestFindStreams::find_stagesStayFastest_areTheAnswer()
{
    const Opened on = open("mobilenet_v2", "a100");
    const auto found = findSchedule(on.model, *on.session, on.device->info(), wanting(StreamKind::Searched), {}, {});
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QVERIFY(!found->schedule.streams && !found->schedule.stages.empty());
    QCOMPARE(*found->schedule.latencyUs(), leastOf(*found));
    QVERIFY(verifySchedule(*on.model.graph, on.model.blocks, found->schedule));
}

void TestFindStreams::find_kinds_haveTheirNames()
{
    const Opened on = open("sample", "v100");
    for (const StreamKind kind : kStreamKinds) {
        QVERIFY(streamKindFromString(toString(kind)) == kind);
        const auto found = findSchedule(on.model, *on.session, on.device->info(), wanting(kind), {}, {});
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        QVERIFY(found->schedule.streams.has_value());
        QCOMPARE(found->schedule.search.strategy, std::string(toString(kind)));
        QVERIFY(found->schedule.measured.provenance == Provenance::Simulated);
    }
    QVERIFY(!streamKindFromString("both"));
}

STAGECRAFT_SUITE(TestFindStreams)

} // namespace tst_find_streams
#include "tst_find_streams.moc"
