// Disturbed latencies: they are measured again before they decide anything, and never replace a good one in the store.

#include "core/measure/activations.h"
#include "graph/graph.h"
#include "measure/stored_session.h"
#include "support/suite.h"
#include "timing/latency_quality.h"

#include <QTemporaryDir>
#include <QTest>

#include <deque>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_disturbed_latencies {

namespace {

const Timing kGood{99, 100, 3, 40};
const Timing kDisturbed{3100, 3200, 2200, 40};
const Timing kLessDisturbed{290, 300, 60, 40};
const Timing kSlowed{199, 200, 3, 40, {900, 0, "power limit"}};

// Gives the scripted answers first, then good latencies.
struct Script {
    std::deque<Timing> next;
    int stages = 0;
    int wholes = 0;

    Timing take()
    {
        if (next.empty())
            return kGood;
        const Timing sample = next.front();
        next.pop_front();
        return sample;
    }
};

class ScriptedSession : public DeviceSession {
public:
    explicit ScriptedSession(Script &script) : m_script(script) {}

    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override
    {
        ++m_script.stages;
        return StageLatency{m_script.take()};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        ++m_script.wholes;
        return ScheduleLatency{m_script.take()};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return Timeline{}; }

private:
    Script &m_script;
};

} // namespace

class TestDisturbedLatencies : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void isDisturbed_spreadOrClocks_decide();
    void isBetter_pairs_data();
    void isBetter_pairs();
    void keep_disturbed_doesNotReplaceAGoodOne();
    void measureStage_disturbed_isMeasuredAgainAtOnce();
    void measureStage_keptDisturbed_isMeasuredAgainOnceASession();
    void measureStage_busyMachine_isNotTriedForEver();
    void measureSchedule_disturbedStages_areMeasuredAgain();
    void measureAgain_machineAtRest_helps();
    void measureAgain_machineStillBusy_endsSoon();
    void open_storeThatCannotBeOpened_stillMeasuresAgain();

private:
    std::unique_ptr<DeviceSession> session(const std::shared_ptr<const Graph> &graph, Script &script) const
    {
        auto store = LatencyStore::open(m_folder->filePath("latencies.sqlite").toStdString());
        DeviceInfo device;
        device.id = "cpu";
        device.title = "X";
        device.fingerprint = "x";
        return storedSession(std::make_unique<ScriptedSession>(script), graph, device, std::move(*store));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestDisturbedLatencies::isDisturbed_spreadOrClocks_decide()
{
    QVERIFY(!kGood.isDisturbed());
    QVERIFY(kDisturbed.isDisturbed() && kDisturbed.isSpread());
    QVERIFY(kSlowed.isDisturbed() && !kSlowed.isSpread());
    QVERIFY(!(Timing{100, 100, 10, 40}.isDisturbed())); // exactly a tenth is not disturbed
    QVERIFY(!(Timing{100, 100, 90, 1}.isDisturbed()));  // a single run has no spread
}

void TestDisturbedLatencies::isBetter_pairs_data()
{
    QTest::addColumn<Timing>("later");
    QTest::addColumn<Timing>("earlier");
    QTest::addColumn<bool>("better");
    Timing impossible = kGood;
    impossible.latencyUs = -5;
    QTest::newRow("two good ones: the later") << kGood << kGood << true;
    QTest::newRow("good after disturbed") << kGood << kDisturbed << true;
    QTest::newRow("disturbed after good") << kDisturbed << kGood << false;
    QTest::newRow("slowed after good") << kSlowed << kGood << false;
    QTest::newRow("less disturbed after more") << kLessDisturbed << kDisturbed << true;
    QTest::newRow("more disturbed after less") << kDisturbed << kLessDisturbed << false;
    QTest::newRow("spread after slowed") << kDisturbed << kSlowed << true;
    QTest::newRow("slowed after spread") << kSlowed << kLessDisturbed << false;
    QTest::newRow("disturbed after impossible") << kDisturbed << impossible << true;
}

void TestDisturbedLatencies::isBetter_pairs()
{
    QFETCH(const Timing, later);
    QFETCH(const Timing, earlier);
    QFETCH(const bool, better);
    QCOMPARE(isBetter(later, earlier), better);
}

void TestDisturbedLatencies::keep_disturbed_doesNotReplaceAGoodOne()
{
    auto store = LatencyStore::inMemory();
    const MeasurementContext context{"x", "X", "cpu", 1, "m"};
    const StageSignature signature{1, 2};
    const RecordedStage named{Strategy::Concurrent, {{"a"}}};
    const auto keepIt = [&](const Timing &sample) { QVERIFY(store->add(context, signature, named, sample)); };
    const auto kept = [&] { return store->find(context, signature, named).value()->latencyUs; };
    keepIt(kDisturbed);
    QCOMPARE(kept(), kDisturbed.latencyUs);
    keepIt(kLessDisturbed);
    keepIt(kDisturbed);
    QCOMPARE(kept(), kLessDisturbed.latencyUs);
    keepIt(kGood);
    keepIt(kDisturbed);
    QCOMPARE(kept(), kGood.latencyUs);
}

void TestDisturbedLatencies::measureStage_disturbed_isMeasuredAgainAtOnce()
{
    const auto graph = activations(2);
    Script script{{kDisturbed, kGood, kDisturbed, kLessDisturbed}};
    const auto session = this->session(graph, script);
    QCOMPARE(session->stageLatency(activation(0), {})->timing.latencyUs, kGood.latencyUs);
    QCOMPARE(session->stageLatency(activation(1), {})->timing.latencyUs, kLessDisturbed.latencyUs);
    QCOMPARE(script.stages, 4);
    QVERIFY(session->stageLatency(activation(0), {})->kind == LatencyKind::Stored);
    QCOMPARE(script.stages, 4);
}

void TestDisturbedLatencies::measureStage_keptDisturbed_isMeasuredAgainOnceASession()
{
    const auto graph = activations(1);
    Script loaded{{kDisturbed, kDisturbed, kDisturbed}};
    {
        const auto before = session(graph, loaded);
        QCOMPARE(before->stageLatency(activation(0), {})->timing.latencyUs, kDisturbed.latencyUs);
        QCOMPARE(loaded.stages, 2);
        QVERIFY(before->stageLatency(activation(0), {})); // the stored one: it was repeated in this session already
        QCOMPARE(loaded.stages, 2);
    }
    Script atRest;
    const auto later = session(graph, atRest);
    const auto sample = later->stageLatency(activation(0), {});
    QVERIFY(sample && sample->kind == LatencyKind::Repeated && sample->timing.latencyUs == kGood.latencyUs);
    QVERIFY(later->stageLatency(activation(0), {})->kind == LatencyKind::Stored);
    QCOMPARE(atRest.stages, 1);
}

void TestDisturbedLatencies::measureStage_busyMachine_isNotTriedForEver()
{
    const auto graph = activations(30);
    Script script{std::deque<Timing>(100, kDisturbed)};
    const auto session = this->session(graph, script);
    for (std::uint32_t i = 0; i < 30; ++i)
        QVERIFY(session->stageLatency(activation(i), {}));
    QCOMPARE(script.stages, 30 + 8);
}

// The schedule that a search found is measured as a whole at the end.
void TestDisturbedLatencies::measureSchedule_disturbedStages_areMeasuredAgain()
{
    const auto graph = activations(20);
    Script script{std::deque<Timing>(28, kDisturbed)};
    const auto session = this->session(graph, script);
    TimedSchedule schedule;
    for (std::uint32_t i = 0; i < 20; ++i) {
        QVERIFY(session->stageLatency(activation(i), {}));
        schedule.stages.push_back(activation(i));
    }
    script.next.assign(20, kGood);
    script.next.push_back(kDisturbed); // the whole is measured again, too
    script.stages = 0;
    const auto measured = session->measureSchedule(schedule, {});
    QVERIFY(measured);
    QCOMPARE(script.stages, 20);
    QCOMPARE(script.wholes, 2);
    QVERIFY(!measured->whole.timing.isDisturbed());
    for (const StageLatency &latency : measured->stages)
        QVERIFY(!latency.timing.isDisturbed());
}

void TestDisturbedLatencies::measureAgain_machineAtRest_helps()
{
    const auto graph = activations(3);
    Script script{{kDisturbed, kDisturbed, kGood, kDisturbed, kLessDisturbed}};
    const auto session = this->session(graph, script);
    for (std::uint32_t i = 0; i < 3; ++i)
        QVERIFY(session->stageLatency(activation(i), {}));
    QCOMPARE(session->disturbed()->measureAgain([] { return true; }, {}).value(), 2);
    QCOMPARE(session->stageLatency(activation(0), {})->timing.latencyUs, kGood.latencyUs);
    QCOMPARE(session->stageLatency(activation(2), {})->timing.latencyUs, kGood.latencyUs);
    QCOMPARE(session->disturbed()->measureAgain([] { return true; }, {}).value(), 0);
}

void TestDisturbedLatencies::measureAgain_machineStillBusy_endsSoon()
{
    const auto graph = activations(30);
    Script script{std::deque<Timing>(100, kDisturbed)};
    const auto session = this->session(graph, script);
    for (std::uint32_t i = 0; i < 30; ++i)
        QVERIFY(session->stageLatency(activation(i), {}));
    script.stages = 0;
    QCOMPARE(session->disturbed()->measureAgain([] { return true; }, {}).value(), 0);
    QCOMPARE(script.stages, 8);
    script.next.clear();
    QVERIFY(session->disturbed()->measureAgain([] { return true; }, {}).value() > 0);
}

void TestDisturbedLatencies::open_storeThatCannotBeOpened_stillMeasuresAgain()
{
    class ScriptedDevice : public Device {
    public:
        explicit ScriptedDevice(Script &script) : m_script(script) {}
        DeviceInfo info() const override { return {}; }
        Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph>) const override
        {
            return std::make_unique<ScriptedSession>(m_script);
        }

    private:
        Script &m_script;
    };
    Script script{{kDisturbed}};
    QStringList told;
    const auto device = storedDevice(std::make_unique<ScriptedDevice>(script), "/proc/nowhere/latencies.sqlite",
                                     [&](const Error &error) { told << QString::fromStdString(error.message); });
    const auto opened = device->open(activations(1));
    QVERIFY(opened && told.size() == 1 && told.front().contains("are not stored"));
    QCOMPARE((*opened)->stageLatency(activation(0), {})->timing.latencyUs, kGood.latencyUs);
    QCOMPARE(script.stages, 2);
}

STAGECRAFT_SUITE(TestDisturbedLatencies)

} // namespace tst_disturbed_latencies
#include "tst_disturbed_latencies.moc"
