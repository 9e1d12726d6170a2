#include "device/pool/pool_session.h"

#include "schedule/verify.h"

#include <optional>
#include <utility>

namespace stagecraft {

PoolSession::PoolSession(std::unique_ptr<PoolWork> work, std::unique_ptr<DeviceSession> bounds,
                         std::shared_ptr<const Graph> graph)
    : m_work(std::move(work)), m_bounds(std::move(bounds)), m_graph(std::move(graph)), m_signer(*m_graph)
{
}

template <typename Ask>
std::invoke_result_t<Ask, DeviceSession &> PoolSession::onOne(const Ask &ask)
{
    std::optional<std::invoke_result_t<Ask, DeviceSession &>> answer;
    m_work->run([&](DeviceSession &session) {
        answer.emplace(ask(session));
        return answer->has_value();
    });
    if (answer)
        return std::move(*answer);
    return tl::unexpected(
        m_work->lost().value_or(Error{ErrorCode::DeviceFailed, "no member of the pool works now", {}, {}}));
}

Result<void> PoolSession::readTraits()
{
    return onOne([this](DeviceSession &session) -> Result<void> {
        m_traits = traitsOf(session);
        return {};
    });
}

void PoolSession::want(std::vector<WantedStage> stages)
{
    std::erase_if(stages, [this](const WantedStage &wanted) { return m_exact.contains(wanted.signature); });
    m_work->want(std::move(stages));
}

Result<StageLatency> PoolSession::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    const Stage &stage = question.stage;
    TRY(question.signature ? Result<void>{} : verifyStage(*m_graph, stage));
    if (!stage.launchOrder.empty()) // a signature says nothing of the order
        return onOne([&](DeviceSession &session) { return session.stageLatency(stage, stop); });
    const StageSignature signature = question.signature ? *question.signature : m_signer.sign(stage);
    const auto known = m_exact.find(signature);
    if (known != m_exact.end())
        return known->second;
    auto latency = m_work->latency({stage, signature}, stop);
    if (latency && !m_traits.isNoisy)
        m_exact.emplace(signature, *latency);
    return latency;
}

Result<StageLatency> PoolSession::measureStage(const Stage &stage, std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.measureStage(stage, stop); });
}

Result<ScheduleLatency> PoolSession::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.measureWhole(schedule, stop); });
}

Result<ScheduleMeasurement> PoolSession::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.measureSchedule(schedule, stop); });
}

Result<Timeline> PoolSession::timeline(const Schedule &schedule, std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.timeline(schedule, stop); });
}

Result<std::vector<HostTensor>> PoolSession::run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                 std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.executor()->run(schedule, inputs, stop); });
}

Result<std::vector<std::size_t>> PoolSession::workspaceBytes(const Stage &stage, std::stop_token stop)
{
    return onOne([&](DeviceSession &session) { return session.workspace()->workspaceBytes(stage, stop); });
}

Result<std::int64_t> PoolSession::measureAgain(const std::function<bool()> &goOn, std::stop_token stop)
{
    std::int64_t helped = 0;
    for (std::size_t member = 0; member < m_work->size(); ++member) {
        std::optional<Result<std::int64_t>> more;
        m_work->runOn(member, [&](DeviceSession &session) {
            if (DisturbedLatencies *disturbed = session.disturbed())
                more.emplace(disturbed->measureAgain(goOn, stop));
            return !more || more->has_value();
        });
        if (!more)
            continue;
        if (!*more && (*more).error().code == ErrorCode::Cancelled)
            return more->map([](std::int64_t count) { return count; });
        helped += more->value_or(0);
    }
    return helped;
}

} // namespace stagecraft
