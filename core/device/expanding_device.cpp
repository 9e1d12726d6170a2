#include "device/expanding_device.h"

#include "device/forwarding_session.h"
#include "graph/expanded_graph.h"
#include "schedule/expanded_schedule.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

class ExpandingSession : public ForwardingSession {
public:
    ExpandingSession(std::unique_ptr<DeviceSession> session, ExpandedGraph expanded)
        : ForwardingSession(std::move(session)), m_expanded(std::move(expanded))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        return ForwardingSession::stageLatency(expandedStage(question.stage, m_expanded), std::move(stop));
    }
    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        return ForwardingSession::measureStage(expandedStage(stage, m_expanded), std::move(stop));
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        return ForwardingSession::measureSchedule(expandedSchedule(schedule, m_expanded), std::move(stop));
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        return ForwardingSession::measureWhole(expandedSchedule(schedule, m_expanded), std::move(stop));
    }
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        auto timeline = ForwardingSession::timeline(expandedSchedule(schedule, m_expanded), std::move(stop));
        if (!timeline)
            return timeline;
        for (KernelSpan &kernel : timeline->kernels) {
            for (OperatorId &id : kernel.operators)
                id = m_expanded.units[id.index()];
            kernel.operators.erase(std::unique(kernel.operators.begin(), kernel.operators.end()),
                                   kernel.operators.end());
        }
        for (FusedUnits &fused : timeline->fused) {
            for (TimedROperator &rOperator : fused.rOperators)
                rOperator.op = m_expanded.units[rOperator.op.index()];
        }
        return timeline;
    }
    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        return ForwardingSession::run(expandedSchedule(schedule, m_expanded), std::move(inputs), std::move(stop));
    }
    Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override
    {
        return ForwardingSession::workspaceBytes(expandedStage(stage, m_expanded), std::move(stop));
    }

    double lowerBoundUs(const Stage &stage) const override
    {
        return session().lowerBoundUs(expandedStage(stage, m_expanded));
    }
    std::vector<double> sharesUs(OperatorId id) const override
    {
        std::vector<double> sum;
        for (const OperatorId part : m_expanded.parts[id.index()]) {
            const std::vector<double> shares = session().sharesUs(part);
            sum.resize(std::max(sum.size(), shares.size()));
            for (std::size_t i = 0; i < shares.size(); ++i)
                sum[i] += shares[i];
        }
        return sum;
    }

private:
    ExpandedGraph m_expanded;
};

class ExpandingDevice : public Device {
public:
    explicit ExpandingDevice(std::unique_ptr<Device> device) : m_device(std::move(device)) {}

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        passOnSettings(*m_device);
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
