// One suite for all devices that need no GPU: simulated, the CPU in this process and in its worker, recorded, and with
// a latency store.

#include "device/cpu/cpu_device.h"
#include "device/recorded/recorded_device.h"
#include "device/simulated/simulated_device.h"
#include "device/worker/worker_device.h"
#include "device_conformance.h"
#include "measure/stored_session.h"
#include "support/graph_making.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_device_conformance {

namespace {

// A recording of the simulated device, with the first schedule as a whole and the stages of all.
std::unique_ptr<Device> aRecording()
{
    const auto graph = conformanceNetwork();
    const auto session = take(take(openSimulatedDevice("v100"))->open(graph));
    RecordedLatencies latencies;
    latencies.device = "V100";
    latencies.model = graph->name();
    for (const TimedSchedule &schedule : conformanceSchedules(*graph)) {
        const auto measured = take(session->measureSchedule(schedule, {}));
        const auto named = namedStages(*graph, schedule);
        if (latencies.schedules.empty())
            latencies.schedules.push_back({named, measured.whole.timing});
        for (std::size_t i = 0; i < named.size(); ++i) {
            RecordedStage stage = named[i];
            stage.timing = measured.stages[i].timing;
            latencies.stages.push_back(std::move(stage));
        }
    }
    return makeRecordedDevice("rec:test", take(recordedLatenciesFromText(toText(latencies))));
}

CpuOptions quick()
{
    CpuOptions options;
    options.stage.budget = options.schedule.budget = std::chrono::milliseconds(5);
    return options;
}

std::unique_ptr<Device> behindAWorker()
{
    WorkerOptions options;
    options.command = {programPath("stagecraft-worker").toStdString()};
    return makeWorkerDevice("cpu", options);
}

} // namespace

class TestDeviceConformance : public QObject {
    Q_OBJECT

private slots:
    void describesItself_data() { devices(); }
    void describesItself() { check(test::describesItself); }
    void stagesHaveLatencies_data() { devices(); }
    void stagesHaveLatencies() { check(test::stagesHaveLatencies); }
    void schedulesHaveLatencies_data() { devices(); }
    void schedulesHaveLatencies() { check(test::schedulesHaveLatencies); }
    void stopsWhenAsked_data() { devices(); }
    void stopsWhenAsked() { check(test::stopsWhenAsked); }
    void timelinesFitTheSchedule_data() { devices(); }
    void timelinesFitTheSchedule() { check(test::timelinesFitTheSchedule); }
    void refusesIllegalStages_data() { devices(); }
    void refusesIllegalStages() { check(test::refusesIllegalStages); }
    void refusesIllegalSchedules_data() { devices(); }
    void refusesIllegalSchedules() { check(test::refusesIllegalSchedules); }
    void runsRightOrRefuses_data() { devices(); }
    void runsRightOrRefuses() { check(test::runsRightOrRefuses); }

    void run_throughTheWorker_isTheSame()
    {
        const auto graph = conformanceNetwork();
        const auto here = take(makeCpuDevice(quick())->open(graph));
        const auto there = take(behindAWorker()->open(graph));
        HostTensor input{graph->tensor(graph->inputs().front()).name, graph->tensor(graph->inputs().front()).shape, {}};
        for (std::int64_t i = 0; i < input.shape.elements(); ++i)
            input.values.push_back(static_cast<float>(i % 17) - 8.0F);
        for (const TimedSchedule &schedule : conformanceSchedules(*graph)) {
            const auto expected = runOn(*here, schedule, {input}, {});
            const auto outputs = runOn(*there, schedule, {input}, {});
            QVERIFY(expected && outputs && expected->size() == outputs->size());
            for (std::size_t i = 0; i < outputs->size(); ++i)
                QVERIFY((*outputs)[i].values == (*expected)[i].values);
        }
    }

private:
    static void devices()
    {
        QTest::addColumn<DeviceUnderTest>("device");
        QTest::newRow("sim:v100") << DeviceUnderTest{[] { return take(openSimulatedDevice("v100")); }, true, false};
        QTest::newRow("rec") << DeviceUnderTest{
            .make = [] { return aRecording(); }, .isDeterministic = true, .verifies = false};
        QTest::newRow("cpu") << DeviceUnderTest{[] { return makeCpuDevice(quick()); }, false, true};
        QTest::newRow("cpu behind a worker") << DeviceUnderTest{[] { return behindAWorker(); }, false, true};
        QTest::newRow("cpu with a store")
            << DeviceUnderTest{[] { return storedDevice(makeCpuDevice(quick()), ":memory:", {}); }, false, true};
    }

    static void check(void (*promise)(const DeviceUnderTest &))
    {
        QFETCH(DeviceUnderTest, device);
        promise(device);
    }
};

STAGECRAFT_SUITE(TestDeviceConformance)

} // namespace tst_device_conformance
#include "tst_device_conformance.moc"
