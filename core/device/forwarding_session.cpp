#include "device/forwarding_session.h"

namespace stagecraft {

Result<StageLatency> ForwardingSession::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    return m_session->stageLatency(question, std::move(stop));
}

Result<StageLatency> ForwardingSession::measureStage(const Stage &stage, std::stop_token stop)
{
    return m_session->measureStage(stage, std::move(stop));
}

Result<ScheduleMeasurement> ForwardingSession::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    return m_session->measureSchedule(schedule, std::move(stop));
}

Result<ScheduleLatency> ForwardingSession::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return m_session->measureWhole(schedule, std::move(stop));
}

Result<Timeline> ForwardingSession::timeline(const Schedule &schedule, std::stop_token stop)
{
    return m_session->timeline(schedule, std::move(stop));
}

Result<std::vector<HostTensor>> ForwardingSession::run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                       std::stop_token stop)
{
    return m_session->executor()->run(schedule, std::move(inputs), std::move(stop));
}

Result<std::vector<std::size_t>> ForwardingSession::workspaceBytes(const Stage &stage, std::stop_token stop)
{
    return m_session->workspace()->workspaceBytes(stage, std::move(stop));
}

} // namespace stagecraft
