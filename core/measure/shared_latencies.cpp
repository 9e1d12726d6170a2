#include "measure/shared_latencies.h"

#include <chrono>
#include <utility>

namespace stagecraft {

namespace {

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

void SharedLatencies::forget(const Stage &stage)
{
    const std::scoped_lock lock(m_mutex);
    m_stale.push_back(stage);
}

void SharedLatencies::forgetStale()
{
    std::vector<Stage> stale;
    {
        const std::scoped_lock lock(m_mutex);
        stale.swap(m_stale);
    }
    for (const Stage &stage : stale)
        m_remembered.erase(m_signer.sign(stage));
}

void SharedLatencies::wait(const std::stop_token &stop)
{
    if (m_beforeAsking)
        m_beforeAsking(stop);
}

Result<StageLatency> SharedLatencies::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    forgetStale();
    if (question.signature) {
        m_asked.insert(*question.signature);
        if (const auto found = m_remembered.find(*question.signature); found != m_remembered.end()) {
            m_savedSeconds += found->second.seconds;
            return found->second.latency;
        }
    }
    const auto waiting = std::chrono::steady_clock::now();
    wait(stop);
    m_savedSeconds -= secondsSince(waiting);
    const auto begin = std::chrono::steady_clock::now();
    auto latency = ForwardingSession::stageLatency(question, std::move(stop));
    const double seconds = secondsSince(begin);
    if (!question.signature)
        return latency;
    const bool isRefused = !latency && latency.error().code == ErrorCode::DeviceFailed;
    if (isRefused || (latency && latency->kind != LatencyKind::Stored))
        ++m_measurements;
    if (isRefused || (latency && !latency->timing.isDisturbed()))
        m_remembered.emplace(*question.signature, Remembered{latency, seconds});
    return latency;
}

// A new latency replaces the one that is remembered; its kind and the time it took stay those of the first.
Result<StageLatency> SharedLatencies::measureStage(const Stage &stage, std::stop_token stop)
{
    wait(stop);
    auto latency = ForwardingSession::measureStage(stage, std::move(stop));
    if (!latency || isTable())
        return latency;
    const auto found = m_remembered.find(m_signer.sign(stage));
    if (found == m_remembered.end())
        return latency;
    if (latency->timing.isDisturbed())
        m_remembered.erase(found);
    else
        found->second.latency =
            StageLatency{latency->timing, found->second.latency ? found->second.latency->kind : latency->kind};
    return latency;
}

Result<ScheduleMeasurement> SharedLatencies::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    wait(stop);
    return ForwardingSession::measureSchedule(schedule, std::move(stop));
}

Result<ScheduleLatency> SharedLatencies::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    wait(stop);
    return ForwardingSession::measureWhole(schedule, std::move(stop));
}

Result<Timeline> SharedLatencies::timeline(const Schedule &schedule, std::stop_token stop)
{
    wait(stop);
    return ForwardingSession::timeline(schedule, std::move(stop));
}

} // namespace stagecraft
