// Specialisation: devices that do not disturb each other measure at the same time, and the table is that of searches
// one after the other.

#include "device/forwarding_session.h"
#include "flow/find/measured.h"
#include "flow/study/side_by_side.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QTest>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_specialization {

namespace {

// Lets whoever comes in pass once a number of them are there.
class Meeting {
public:
    explicit Meeting(std::size_t size) : m_size(size) {}

    bool come(const std::string &who)
    {
        std::unique_lock lock(m_mutex);
        m_there.insert(who);
        m_changed.notify_all();
        return m_changed.wait_for(lock, std::chrono::seconds(30), [this] { return m_there.size() >= m_size; });
    }

private:
    std::size_t m_size;
    std::mutex m_mutex; // protects m_there
    std::condition_variable m_changed;
    std::set<std::string> m_there;
};

class MeetingSession : public ForwardingSession {
public:
    MeetingSession(std::unique_ptr<DeviceSession> session, std::string id, Meeting &meeting)
        : ForwardingSession(std::move(session)), m_id(std::move(id)), m_meeting(meeting)
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (!m_meeting.come(m_id))
            return fail(ErrorCode::Cancelled, "the others did not measure at the same time");
        return ForwardingSession::stageLatency(question, stop);
    }

private:
    std::string m_id;
    Meeting &m_meeting;
};

Result<OpenedPlace> openPlace(const RunPlace &place)
{
    TRY_AS(auto model, openedModel("sample", {.batch = place.batch}));
    auto shared = std::make_shared<const Model>(std::move(model));
    TRY_AS(const auto device, findDevice(place.device));
    TRY_AS(auto session, device->open(shared->graph));
    return OpenedPlace{std::move(shared), device->info(), std::move(session)};
}

std::vector<RunPlace> placesOn(const std::vector<std::string> &devices)
{
    return placesOf(devices, {});
}

std::vector<std::vector<std::string>> lanesOf(const std::vector<std::string> &devices)
{
    std::vector<std::vector<std::string>> lanes;
    for (const std::vector<RunPlace> &lane : sideBySide(placesOn(devices))) {
        std::vector<std::string> &names = lanes.emplace_back();
        for (const RunPlace &place : lane)
            names.push_back(place.device);
    }
    return lanes;
}

} // namespace

class TestSpecialization : public QObject {
    Q_OBJECT

private slots:
    void study_unequalDevices_measureAtTheSameTime()
    {
        const auto places = placesOn({"sim:v100", "sim:k80"});
        Meeting meeting(places.size());
        Specialization study([&](const RunPlace &place) -> Result<OpenedPlace> {
            TRY_AS(auto opened, openPlace(place));
            opened.session = std::make_unique<MeetingSession>(std::move(opened.session), place.device, meeting);
            return opened;
        });
        std::atomic<int> made = 0;
        std::atomic<int> measured = 0;
        SpecializationCallbacks told;
        told.made = [&](const RunPlace &, const FoundSchedule &) { ++made; };
        told.measured = [&](const RunPlace &, const RunPlace &, const TimedSchedule &) { ++measured; };
        const auto done = study.study(places, told, {});
        QVERIFY2(done, done ? "" : done.error().message.c_str());
        QCOMPARE(made.load(), 2);
        QCOMPARE(measured.load(), 4);
        for (const RunPlace &on : places) {
            for (const RunPlace &madeFor : places) {
                OpenedPlace there = take(openPlace(madeFor));
                SearchOptions options;
                options.bounds = SearchBounds::Auto;
                TimedSchedule alone = take(findSchedule(*there.model, *there.session, there.device,
                                                        {ScheduleKind::IosBoth, options}, {}, {}))
                                          .schedule;
                OpenedPlace here = take(openPlace(on));
                QVERIFY(measureInto(alone, *here.model, *here.session, here.device, {}));
                const TimedSchedule *cell = study.measured(on, madeFor);
                QVERIFY(cell && cell->stages == alone.stages);
                QCOMPARE(*cell->latencyUs(), *alone.latencyUs());
            }
        }
        QVERIFY(study.study(places, told, {})); // all is known
        QCOMPARE(made.load(), 2);
        QCOMPARE(measured.load(), 4);
    }

    void study_onePlaceFails_endsAll()
    {
        Specialization study([](const RunPlace &place) -> Result<OpenedPlace> {
            if (place.device == "sim:k80")
                return fail(ErrorCode::DeviceFailed, "it burns");
            return openPlace(place);
        });
        const auto done = study.study(placesOn({"sim:v100", "sim:k80", "sim:a100"}), {}, {});
        QVERIFY(!done);
        QCOMPARE(done.error().message, std::string("it burns"));
        QVERIFY(!study.measured({"sim:v100"}, {"sim:v100"}));
    }

    void study_stopped_isCancelled()
    {
        Specialization study(openPlace);
        std::stop_source stop;
        stop.request_stop();
        const auto done = study.study(placesOn({"sim:v100", "sim:k80"}), {}, stop.get_token());
        QVERIFY(!done);
        QVERIFY(done.error().code == ErrorCode::Cancelled);
    }

    void sideBySide_whoDisturbsWhom_data()
    {
        QTest::addColumn<QStringList>("devices");
        QTest::addColumn<QStringList>("lanes"); // devices with blanks between them
        QTest::newRow("machines") << QStringList{"cpu", "ssh:a/cpu", "ssh:b/gpu:0", "slurm:p/cpu"}
                                  << QStringList{"cpu", "ssh:a/cpu", "ssh:b/gpu:0", "slurm:p/cpu"};
        QTest::newRow("GPUs of a machine")
            << QStringList{"gpu:0", "gpu:1", "pytorch:cuda:0"} << QStringList{"gpu:0 pytorch:cuda:0", "gpu:1"};
        QTest::newRow("GPU and processor") << QStringList{"ssh:a/gpu:0", "ssh:a/gpu:1", "ssh:a/cpu", "gpu:0"}
                                           << QStringList{"ssh:a/gpu:0 ssh:a/gpu:1 ssh:a/cpu", "gpu:0"};
        QTest::newRow("processor twice") << QStringList{"cpu", "pytorch:cpu", "onnxruntime"}
                                         << QStringList{"cpu pytorch:cpu onnxruntime"};
        QTest::newRow("simulated beside measured") << QStringList{"sim:v100", "cpu"} << QStringList{"sim:v100", "cpu"};
        QTest::newRow("pool") << QStringList{"ssh:a/cpu,ssh:b/cpu", "ssh:c/cpu"}
                              << QStringList{"ssh:a/cpu,ssh:b/cpu ssh:c/cpu"};
    }

    void sideBySide_whoDisturbsWhom()
    {
        QFETCH(const QStringList, devices);
        std::vector<std::string> ids;
        for (const QString &device : devices)
            ids.push_back(device.toStdString());
        QStringList lanes;
        for (const std::vector<std::string> &lane : lanesOf(ids)) {
            QStringList names;
            for (const std::string &name : lane)
                names << QString::fromStdString(name);
            lanes << names.join(" ");
        }
        QTEST(lanes, "lanes");
    }

    void sideBySide_batches_waitForEachOther()
    {
        const std::vector<std::string> devices{"sim:v100", "sim:k80"};
        const std::vector<std::int64_t> batches{1, 8};
        const auto lanes = sideBySide(placesOf(devices, batches));
        std::size_t places = 0;
        for (const auto &lane : lanes) {
            places += lane.size();
            QVERIFY(lane.size() % 2 == 0);
        }
        QCOMPARE(places, std::size_t{4});
    }
};

STAGECRAFT_SUITE(TestSpecialization)

} // namespace tst_specialization
#include "tst_specialization.moc"
