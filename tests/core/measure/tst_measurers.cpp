// Devices that several ask at once: one session, turns by urgency, and no stage measured twice.

#include "core/measure/activations.h"
#include "measure/measurers.h"
#include "measure/turns.h"
#include "schedule/stage_signature.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_measurers {

namespace {

// What a device was asked, by any of its sessions.
struct Asked {
    std::atomic<int> found = 0;
    std::atomic<int> opened = 0;
    std::atomic<int> open = 0; // now
    std::atomic<int> atOnce = 0;
    std::atomic<int> mostAtOnce = 0;
    std::mutex mutex;
    std::map<StageSignature, int> stages;
    double us = 10;
    double spreadOfNext = 0;
    bool isLost = false;
    std::optional<DeviceWait> wait;
};

class AskedSession : public DeviceSession {
public:
    AskedSession(std::shared_ptr<Asked> asked, std::shared_ptr<const Graph> graph, bool isNoisy,
                 Device::Waiting waiting)
        : m_asked(std::move(asked)), m_graph(std::move(graph)), m_signer(*m_graph), m_isNoisy(isNoisy),
          m_waiting(std::move(waiting))
    {
        ++m_asked->open;
    }
    ~AskedSession() override { --m_asked->open; }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token) override
    {
        m_asked->mostAtOnce = std::max<int>(m_asked->mostAtOnce, ++m_asked->atOnce);
        QThread::usleep(100); // so that overlaps would show
        --m_asked->atOnce;
        if (m_asked->wait && m_waiting)
            m_waiting(m_asked->wait);
        if (m_asked->isLost)
            return fail(ErrorCode::DeviceFailed, "the device is gone");
        const std::scoped_lock lock(m_asked->mutex);
        ++m_asked->stages[m_signer.sign(question.stage)];
        Timing timing = Timing::ofLatency(m_asked->us);
        timing.runs = 10;
        timing.stddevUs = std::exchange(m_asked->spreadOfNext, 0);
        return StageLatency{timing, LatencyKind::Measured};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token) override
    {
        return ScheduleLatency{Timing::ofLatency(m_asked->us * static_cast<double>(schedule.stages.size()))};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::WrongUse, "not asked for");
    }
    bool isNoisy() const override { return m_isNoisy; }

private:
    std::shared_ptr<Asked> m_asked;
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    bool m_isNoisy;
    Device::Waiting m_waiting;
};

class AskedDevice : public Device {
public:
    AskedDevice(std::shared_ptr<Asked> asked, bool isNoisy) : m_asked(std::move(asked)), m_isNoisy(isNoisy) {}

    DeviceInfo info() const override
    {
        DeviceInfo info;
        info.id = "asked";
        info.fingerprint = "a device of a test";
        info.provenance = m_isNoisy ? Provenance::Measured : Provenance::Simulated;
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        ++m_asked->opened;
        return std::make_unique<AskedSession>(m_asked, std::move(graph), m_isNoisy, m_waiting);
    }

private:
    std::shared_ptr<Asked> m_asked;
    bool m_isNoisy;
};

DeviceFinder finder(const std::shared_ptr<Asked> &asked, bool isNoisy = true)
{
    return [asked, isNoisy](const std::string &) -> Result<std::unique_ptr<Device>> {
        ++asked->found;
        return std::make_unique<AskedDevice>(asked, isNoisy);
    };
}

TimedSchedule scheduleOf(std::uint32_t stages)
{
    TimedSchedule schedule;
    for (std::uint32_t i = 0; i < stages; ++i)
        schedule.stages.push_back(activation(i));
    return schedule;
}

} // namespace

class TestMeasurers : public QObject {
    Q_OBJECT

private slots:
    void open_byManyAtOnce_sharesOneSession()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(40);
        std::vector<std::jthread> threads;
        for (const Urgency urgency : {Urgency::User, Urgency::Search, Urgency::User, Urgency::Search}) {
            threads.emplace_back([&, urgency] {
                auto opened = measurers.open(graph, "asked", urgency);
                for (std::uint32_t i = 0; i < 40; ++i)
                    (void)opened->session->measureStage(activation(i), {});
            });
        }
        threads.clear();
        QCOMPARE(asked->found.load(), 1);
        QCOMPARE(asked->opened.load(), 1);
        QCOMPARE(asked->mostAtOnce.load(), 1);
        QCOMPARE(asked->stages.size(), std::size_t{40});
    }

    void open_exactDevice_isASessionForEach()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked, false));
        const auto graph = activations(1);
        {
            auto first = measurers.open(graph, "asked", Urgency::User);
            auto second = measurers.open(graph, "asked", Urgency::Search);
            QCOMPARE(asked->opened.load(), 2);
        }
        auto third = measurers.open(graph, "asked", Urgency::User);
        QCOMPARE(asked->opened.load(), 2); // one that was given back
    }

    void stage_measuredByOne_isKnownToOthers()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(2);
        const StageSignature signature = StageSigner(*graph).sign(activation(0));
        QVERIFY(!measurers.known(graph.get(), "asked", signature));
        auto search = measurers.open(graph, "asked", Urgency::Search);
        const auto first = search->session->stageLatency({activation(0), signature}, {});
        QCOMPARE(first->kind, LatencyKind::Measured);
        QCOMPARE(measurers.known(graph.get(), "asked", signature)->latencyUs, 10.0);
        auto edit = measurers.open(graph, "asked", Urgency::User);
        const auto again = edit->session->stageLatency({activation(0), signature}, {});
        QCOMPARE(again->kind, LatencyKind::Stored);
        QCOMPARE(again->timing, first->timing);
        QCOMPARE(asked->stages[signature], 1);
        // Measured anew by one, it is new for all.
        asked->us = 20;
        QCOMPARE(edit->session->measureStage(activation(0), {})->timing.latencyUs, 20.0);
        QCOMPARE(search->session->stageLatency({activation(0), signature}, {})->timing.latencyUs, 20.0);
    }

    void schedule_itsStagesKnown_areNotAskedForAgain()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(5);
        auto opened = measurers.open(graph, "asked", Urgency::Search);
        StageSigner signer(*graph);
        for (std::uint32_t i = 0; i < 4; ++i)
            QVERIFY(opened->session->stageLatency({activation(i), signer.sign(activation(i))}, {}));
        const auto measured = opened->session->measureSchedule(scheduleOf(5), {});
        QVERIFY(measured);
        QCOMPARE(measured->stages.size(), std::size_t{5});
        QCOMPARE(measured->whole.timing.latencyUs, 50.0);
        for (const auto &[signature, times] : asked->stages)
            QCOMPARE(times, 1);
        QCOMPARE(asked->stages.size(), std::size_t{5});
    }

    void schedule_disturbedStage_isMeasuredOnceMore()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(1);
        auto opened = measurers.open(graph, "asked", Urgency::User);
        asked->spreadOfNext = 9;
        const auto measured = opened->session->measureSchedule(scheduleOf(1), {});
        QVERIFY(measured && !measured->stages.front().timing.isDisturbed());
        QCOMPARE(asked->stages.begin()->second, 2);
    }

    void schedule_illegalStage_isRefused()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        auto opened = measurers.open(activations(1), "asked", Urgency::User);
        TimedSchedule schedule;
        schedule.stages.push_back({0, Strategy::Concurrent, {}});
        const auto measured = opened->session->measureSchedule(schedule, {});
        QVERIFY(!measured && measured.error().code == ErrorCode::InvalidInput);
    }

    void study_countsWhatItWouldCostAlone()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(3);
        StageSigner signer(*graph);
        const auto ask = [&](Measurers::Opened &of, std::uint32_t id) {
            return of.session->stageLatency({activation(id), signer.sign(activation(id))}, {}).value();
        };
        {
            auto before = measurers.open(graph, "asked", Urgency::Search);
            (void)ask(*before, 0);
        }
        auto study = measurers.open(graph, "asked", Urgency::Study);
        QCOMPARE(ask(*study, 0).kind, LatencyKind::Stored); // known before
        QCOMPARE(ask(*study, 1).kind, LatencyKind::Measured);
        QCOMPARE(study->session->measurements(), std::int64_t{1});
        QCOMPARE(study->session->takeAsked(), std::int64_t{2});
        const double saved = study->session->savedSeconds();
        QCOMPARE(ask(*study, 1).kind, LatencyKind::Measured); // the next point would measure it, too
        QVERIFY(study->session->savedSeconds() > saved);
        QCOMPARE(study->session->measurements(), std::int64_t{1});
        QCOMPARE(study->session->takeAsked(), std::int64_t{1});
        QCOMPARE(study->session->takeAsked(), std::int64_t{0});
        asked->us = 30;
        {
            auto person = measurers.open(graph, "asked", Urgency::User);
            QVERIFY(person->session->measureStage(activation(1), {}));
        }
        QCOMPARE(ask(*study, 1).timing.latencyUs, 30.0); // measured elsewhere
        // A schedule it found is part of the search, not a question more.
        const double before = study->session->savedSeconds();
        QVERIFY(study->session->measureSchedule(scheduleOf(2), {}));
        QCOMPARE(study->session->savedSeconds(), before);
        QCOMPARE(study->session->takeAsked(), std::int64_t{1});
    }

    void study_whileASearchIsOpen_waits()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(1);
        auto study = measurers.open(graph, "asked", Urgency::Study);
        auto search = measurers.open(activations(1), "asked", Urgency::Search); // of another model
        auto answer = std::async(std::launch::async, [&] { return study->session->stageLatency(activation(0), {}); });
        QCOMPARE(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
        search->session.reset();
        QCOMPARE(answer.wait_for(std::chrono::seconds(10)), std::future_status::ready);
        QVERIFY(answer.get());
    }

    void study_stoppedWhileItWaits_ends()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(1);
        auto study = measurers.open(graph, "asked", Urgency::Study);
        auto search = measurers.open(graph, "asked", Urgency::Search);
        std::stop_source stop;
        auto answer = std::async(std::launch::async,
                                 [&] { return study->session->stageLatency(activation(0), stop.get_token()); });
        stop.request_stop();
        const auto stopped = answer.get();
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        QVERIFY(asked->stages.empty());
        QVERIFY(search->session->stageLatency(activation(0), {})); // nothing is in its way
    }

    void turns_goToTheMostUrgentFirst()
    {
        Turns turns;
        const int device = 0;
        std::mutex mutex;
        QByteArray order;
        std::vector<std::jthread> threads;
        {
            const Turns::Turn mine = turns.take(&device, Urgency::Search, {});
            QVERIFY(mine);
            const auto waitFor = [&](Urgency urgency, char name, Urgency seenBy) {
                threads.emplace_back([&turns, &device, &mutex, &order, urgency, name] {
                    const Turns::Turn turn = turns.take(&device, urgency, {});
                    const std::scoped_lock lock(mutex);
                    order += name;
                });
                if (urgency != seenBy) {
                    while (!turns.isWantedMore(&device, seenBy))
                        std::this_thread::yield();
                } else {
                    QTest::qWait(20);
                }
            };
            waitFor(Urgency::Study, 'c', Urgency::Study);
            waitFor(Urgency::Search, 'b', Urgency::Study);
            waitFor(Urgency::User, 'a', Urgency::Search);
            const int other = 0;
            QVERIFY(turns.take(&other, Urgency::Study, {})); // another device is free
        }
        threads.clear();
        QCOMPARE(order, QByteArray("abc"));
    }

    void waiting_isToldToWhoeverAsks()
    {
        const auto asked = std::make_shared<Asked>();
        asked->wait = DeviceWait{"asked", "another program", false, 1};
        Measurers measurers(finder(asked));
        const auto graph = activations(2);
        int first = 0;
        int second = 0;
        auto one = measurers.open(graph, "asked", Urgency::User, [&](const auto &) { ++first; });
        auto other = measurers.open(graph, "asked", Urgency::User, [&](const auto &) { ++second; });
        QVERIFY(one->session->stageLatency(activation(0), {}));
        QCOMPARE(first, 1);
        QCOMPARE(second, 0);
        QVERIFY(other->session->stageLatency(activation(1), {}));
        QCOMPARE(first, 1);
        QCOMPARE(second, 1);
    }

    void devices_ofOtherModels_areClosedInTheEnd()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const std::vector graphs{activations(1), activations(1), activations(1), activations(1)};
        for (const auto &graph : graphs)
            QVERIFY(measurers.open(graph, "asked", Urgency::User));
        QCOMPARE(asked->open.load(), 3);
        QVERIFY(measurers.open(graphs.back(), "asked", Urgency::User));
        QCOMPARE(asked->opened.load(), 4);
    }

    void device_thatFailed_isOpenedAgain()
    {
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked));
        const auto graph = activations(1);
        asked->isLost = true;
        QVERIFY(!measurers.open(graph, "asked", Urgency::User)->session->stageLatency(activation(0), {}));
        asked->isLost = false;
        QVERIFY(measurers.open(graph, "asked", Urgency::User)->session->stageLatency(activation(0), {}));
        QCOMPARE(asked->opened.load(), 2);
        QCOMPARE(asked->open.load(), 1);
    }

    void device_whoseFileChanged_isReadAgain()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("d.json").toStdString();
        std::ofstream(file) << "1";
        const auto asked = std::make_shared<Asked>();
        Measurers measurers(finder(asked, false));
        const auto graph = activations(1);
        QVERIFY(measurers.open(graph, "sim:" + file, Urgency::User));
        QVERIFY(measurers.open(graph, "sim:" + file, Urgency::User));
        QCOMPARE(asked->found.load(), 1);
        std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
        QVERIFY(measurers.open(graph, "sim:" + file, Urgency::User));
        QCOMPARE(asked->found.load(), 2);
    }

    void stored_isReadOnceUnlessTheFileChanges()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("latencies.sqlite").toStdString();
        const auto asked = std::make_shared<Asked>();
        const DeviceInfo device = AskedDevice(asked, true).info();
        Measurers measurers(finder(asked), path);
        const auto graph = activations(2);
        QVERIFY(!measurers.readStore(graph, device));
        QVERIFY(!QFile::exists(QString::fromStdString(path))); // looking creates none
        const StageSignature signature = StageSigner(*graph).sign(activation(1));
        auto store = LatencyStore::open(path);
        QVERIFY(store->add({device.fingerprint, device.title, device.id, 1, "m"}, signature,
                           {Strategy::Concurrent, {{"op1"}}}, Timing::ofLatency(7)));
        QVERIFY(measurers.readStore(graph, device));
        QVERIFY(!measurers.readStore(graph, device));
        QCOMPARE(measurers.known(graph.get(), "asked", signature)->latencyUs, 7.0);
        QCOMPARE(asked->opened.load(), 0); // and the device was not opened for it
        QCOMPARE(measurers.countStored({device.fingerprint, {}, 0, {}}).value(), std::int64_t{1});
        QCOMPARE(measurers.forgetStored({device.fingerprint, {}, 0, {}}).value(), std::int64_t{1});
        QVERIFY(!measurers.known(graph.get(), "asked", signature));
    }
};

STAGECRAFT_SUITE(TestMeasurers)

} // namespace tst_measurers
#include "tst_measurers.moc"
