#include "services/shared_latencies.h"

#include <chrono>
#include <utility>

namespace stagecraft {

Result<StageLatency> SharedLatencies::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    if (question.signature) {
        if (const auto found = m_remembered.find(*question.signature); found != m_remembered.end()) {
            m_savedSeconds += found->second.seconds;
            return found->second.latency;
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    auto latency = m_session->stageLatency(question, std::move(stop));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!question.signature)
        return latency;
    const bool isRefused = !latency && latency.error().code == ErrorCode::DeviceFailed;
    if (isRefused || (latency && latency->origin != LatencyOrigin::Stored))
        ++m_measurements;
    if (isRefused || (latency && !latency->timing.isDisturbed()))
        m_remembered.emplace(*question.signature, Remembered{latency, seconds});
    return latency;
}

Result<StageLatency> SharedLatencies::measureStage(const Stage &stage, std::stop_token stop)
{
    return m_session->measureStage(stage, std::move(stop));
}

Result<ScheduleMeasurement> SharedLatencies::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    return m_session->measureSchedule(schedule, std::move(stop));
}

Result<ScheduleLatency> SharedLatencies::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return m_session->measureWhole(schedule, std::move(stop));
}

Result<Timeline> SharedLatencies::timeline(const Schedule &schedule, std::stop_token stop)
{
    return m_session->timeline(schedule, std::move(stop));
}

} // namespace stagecraft
