#include "device/expanding_device.h"

#include "graph/expanded_graph.h"
#include "schedule/expanded_schedule.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

class ExpandingSession : public DeviceSession, public Executor {
public:
    ExpandingSession(std::unique_ptr<DeviceSession> session, ExpandedGraph expanded)
        : m_session(std::move(session)), m_expanded(std::move(expanded))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        return m_session->stageLatency(expandedStage(question.stage, m_expanded), std::move(stop));
    }
    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        return m_session->measureStage(expandedStage(stage, m_expanded), std::move(stop));
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        return m_session->measureSchedule(expandedSchedule(schedule, m_expanded), std::move(stop));
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        return m_session->measureWhole(expandedSchedule(schedule, m_expanded), std::move(stop));
    }
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        auto timeline = m_session->timeline(expandedSchedule(schedule, m_expanded), std::move(stop));
        if (!timeline)
            return timeline;
        for (KernelSpan &kernel : timeline->kernels) {
            for (OperatorId &id : kernel.operators)
                id = m_expanded.units[id.index()];
            kernel.operators.erase(std::unique(kernel.operators.begin(), kernel.operators.end()),
                                   kernel.operators.end());
        }
        return timeline;
    }
    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        return m_session->executor()->run(expandedSchedule(schedule, m_expanded), std::move(inputs), std::move(stop));
    }

    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    bool isTable() const override { return m_session->isTable(); }
    bool isNoisy() const override { return m_session->isNoisy(); }
    bool chainsAddUp() const override { return m_session->chainsAddUp(); }
    double lowerBoundUs(const Stage &stage) const override
    {
        return m_session->lowerBoundUs(expandedStage(stage, m_expanded));
    }
    std::vector<double> sharesUs(OperatorId id) const override
    {
        std::vector<double> sum;
        for (const OperatorId part : m_expanded.parts[id.index()]) {
            const std::vector<double> shares = m_session->sharesUs(part);
            sum.resize(std::max(sum.size(), shares.size()));
            for (std::size_t i = 0; i < shares.size(); ++i)
                sum[i] += shares[i];
        }
        return sum;
    }

    Executor *executor() override { return m_session->executor() ? this : nullptr; }
    const LocalHardware *hardware() const override { return m_session->hardware(); }
    DisturbedLatencies *disturbed() override { return m_session->disturbed(); }

private:
    std::unique_ptr<DeviceSession> m_session;
    ExpandedGraph m_expanded;
};

class ExpandingDevice : public Device {
public:
    explicit ExpandingDevice(std::unique_ptr<Device> device) : m_device(std::move(device)) {}

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        m_device->onPreparing(m_preparing);
        if (!hasFusedUnits(*graph))
            return m_device->open(std::move(graph));
        ExpandedGraph expanded = expandUnits(*graph);
        auto session = m_device->open(expanded.graph);
        if (!session)
            return session;
        return std::make_unique<ExpandingSession>(std::move(*session), std::move(expanded));
    }

private:
    std::unique_ptr<Device> m_device;
};

} // namespace

std::unique_ptr<Device> expandingDevice(std::unique_ptr<Device> device)
{
    return std::make_unique<ExpandingDevice>(std::move(device));
}

} // namespace stagecraft
