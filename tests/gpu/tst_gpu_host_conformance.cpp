// The conformance tests of devices for the host execution of the GPU's plans: outputs and refusals. Latencies and
// timelines need the hardware: tst_gpu_conformance tests them on a GPU.

#include "core/device/device_conformance.h"
#include "device/executing/session_steps.h"
#include "host_device.h"
#include "schedule/verify.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_gpu_host_conformance {

namespace {

class HostSession : public DeviceSession, public Executor {
public:
    HostSession(std::shared_ptr<const Graph> graph, gpu::TensorLayout layout)
        : m_graph(std::move(graph)), m_options(hostOptions(layout))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override { return noTiming(); }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override { return noTiming(); }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return noTiming(); }
    Executor *executor() override { return this; }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token) override
    {
        TRY(verifyRunnable(*m_graph, schedule));
        for (const TensorId input : m_graph->inputs()) {
            TRY(inputFor(m_graph->tensor(input), inputs));
        }
        return runOnHost(m_graph, schedule, m_options, inputs);
    }

private:
    static tl::unexpected<Error> noTiming() { return fail(ErrorCode::WrongUse, "the host is no GPU to time"); }

    std::shared_ptr<const Graph> m_graph;
    gpu::GpuOptions m_options;
};

class HostDevice : public Device {
public:
    explicit HostDevice(gpu::TensorLayout layout) : m_layout(layout) {}

    DeviceInfo info() const override { return {}; }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        return std::make_unique<HostSession>(std::move(graph), m_layout);
    }

private:
    gpu::TensorLayout m_layout;
};

} // namespace

class TestGpuHostConformance : public QObject {
    Q_OBJECT

private slots:
    void runsRightOrRefuses_data() { layouts(); }
    void runsRightOrRefuses() { test::runsRightOrRefuses(device()); }
    void refusesIllegalSchedules_data() { layouts(); }
    void refusesIllegalSchedules() { test::refusesIllegalSchedules(device()); }

private:
    static void layouts()
    {
        QTest::addColumn<bool>("nhwc");
        QTest::newRow("nchw") << false;
        QTest::newRow("nhwc") << true;
    }

    static DeviceUnderTest device()
    {
        QFETCH(bool, nhwc);
        const gpu::TensorLayout layout = nhwc ? gpu::TensorLayout::ChannelsLast : gpu::TensorLayout::RowMajor;
        return {.make = [layout] { return std::make_unique<HostDevice>(layout); }, .executes = true, .measures = false};
    }
};

STAGECRAFT_SUITE(TestGpuHostConformance)

} // namespace tst_gpu_host_conformance
#include "tst_gpu_host_conformance.moc"
