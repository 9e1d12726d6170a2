#include "search/asker.h"

#include <limits>

namespace stagecraft {

namespace {

constexpr auto kReportEvery = std::chrono::milliseconds(50);

double seconds(Interrupt::Clock::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

} // namespace

Asker::Asker(const Graph &graph, StageLatencySource &source, const SearchOptions &options,
             const SearchProgressCallback &progress, std::stop_token stop)
    : m_source(source), m_progress(progress), m_interrupt(std::move(stop), options.maxSeconds),
      m_maxMeasurements(options.maxMeasurements), m_signer(graph)
{
}

bool Asker::mustEnd() const
{
    if (m_fatal || cancelled())
        return true;
    return m_keepBudget && (m_interrupt.timeIsUp() || (m_maxMeasurements && measurements() >= *m_maxMeasurements));
}

std::optional<double> Asker::ask(const Stage &stage)
{
    // A table is not asked by signature: there, stages of one signature may differ.
    const bool bySignature = !m_source.isTable();
    const StageSignature signature = bySignature ? m_signer.sign(stage) : StageSignature{};
    if (bySignature) {
        if (const auto found = m_known.find(signature); found != m_known.end())
            return found->second;
    }
    if (mustEnd())
        return std::nullopt;
    const auto begin = Clock::now();
    const auto answer = m_source.stageLatencyUs(stage, m_interrupt.token());
    m_measureSeconds += seconds(Clock::now() - begin);
    if (!answer && answer.error().code == ErrorCode::Cancelled) {
        m_cancelled = true;
        return std::nullopt;
    }
    if (!answer && answer.error().code != ErrorCode::DeviceFailed) {
        m_fatal = answer.error();
        return std::nullopt;
    }
    if (!answer)
        m_deviceError = answer.error();
    ++m_seen.stageMeasurements;
    if (stage.block >= m_perBlock.size())
        m_perBlock.resize(stage.block + 1);
    ++m_perBlock[stage.block];
    const double latencyUs = answer ? *answer : std::numeric_limits<double>::infinity();
    if (bySignature)
        m_known.emplace(signature, latencyUs);
    m_seen.block = stage.block;
    report();
    return latencyUs;
}

double Asker::elapsedSeconds() const
{
    return seconds(Clock::now() - m_start);
}

void Asker::report(bool now)
{
    const auto time = Clock::now();
    if (!m_progress || (!now && time - m_reported < kReportEvery))
        return;
    m_reported = time;
    m_seen.elapsedSeconds = elapsedSeconds();
    m_progress(m_seen);
}

} // namespace stagecraft
