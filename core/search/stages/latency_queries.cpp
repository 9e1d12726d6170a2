#include "search/stages/latency_queries.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace stagecraft {

namespace {

constexpr auto kReportEvery = std::chrono::milliseconds(50);

double seconds(SearchClock::Time::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

} // namespace

LatencyQueries::LatencyQueries(const Graph &graph, StageLatencySource &source, const SearchOptions &options,
                               const SearchProgressCallback &progress, std::stop_token stop)
    : m_source(source), m_progress(progress), m_clock(options.clock),
      m_interrupt(std::move(stop), options.maxSeconds, options.clock), m_maxMeasurements(options.maxMeasurements),
      m_signer(graph)
{
}

bool LatencyQueries::mustEnd() const
{
    if (m_fatal || cancelled())
        return true;
    return m_keepBudget && (m_interrupt.timeIsUp() || (m_maxMeasurements && measurements() >= *m_maxMeasurements));
}

StageSignature LatencyQueries::keyOf(const Stage &stage)
{
    if (!m_source.isTable())
        return m_signer.sign(stage);
    StageSignature key{static_cast<std::uint64_t>(stage.strategy), stage.block};
    const auto add = [&](std::uint64_t word) {
        key.high = (key.high ^ word) * 0x9e3779b97f4a7c15ULL;
        key.high ^= key.high >> 31;
        key.low = (key.low + word) * 0xd6e8feb86659fd93ULL;
        key.low ^= key.low >> 29;
    };
    for (const auto &group : stage.groups) {
        add(~std::uint64_t{0});
        for (const OperatorId id : group)
            add(id.value);
    }
    return key;
}

std::optional<double> LatencyQueries::known(const StageSignature &key) const
{
    const auto found = m_known.find(key);
    return found == m_known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> LatencyQueries::ask(const Stage &stage)
{
    return ask(stage, keyOf(stage));
}

std::optional<double> LatencyQueries::ask(const Stage &stage, const StageSignature &key)
{
    if (const auto answered = known(key))
        return answered;
    if (mustEnd())
        return std::nullopt;
    const StageQuestion question = m_source.isTable() ? StageQuestion(stage) : StageQuestion(stage, key);
    if (!m_source.has(question))
        return std::nullopt;
    const auto begin = m_clock.now();
    const auto answer = m_source.stageLatency(question, m_interrupt.token());
    const double tookSeconds = seconds(m_clock.now() - begin);
    m_measureSeconds += tookSeconds;
    if (!answer && answer.error().code == ErrorCode::Cancelled) {
        m_cancelled = true;
        return std::nullopt;
    }
    if (!answer && (answer.error().code != ErrorCode::DeviceFailed || m_source.isLost())) {
        m_fatal = answer.error();
        return std::nullopt;
    }
    if (!answer) {
        ++m_refused;
        // The smallest unavailable stage blocks the most schedules.
        if (stage.operatorCount() < m_refusalOperators) {
            m_refusal = answer.error();
            m_refusalOperators = stage.operatorCount();
        }
    }
    if (answer && answer->kind == LatencyKind::Stored) {
        ++m_seen.cacheHits;
        m_storedSeconds += tookSeconds;
    } else {
        ++m_seen.stageMeasurements;
        m_seen.stagesRepeated += answer && answer->kind == LatencyKind::Repeated ? 1 : 0;
        if (stage.block >= m_perBlock.size())
            m_perBlock.resize(stage.block + 1);
        ++m_perBlock[stage.block];
    }
    const double latencyUs = answer ? answer->timing.latencyUs : std::numeric_limits<double>::infinity();
    m_known.emplace(key, latencyUs);
    report();
    return latencyUs;
}

void LatencyQueries::want(std::vector<WantedStage> stages)
{
    if (atATime() == 1 || mustEnd())
        return;
    std::unordered_set<StageSignature> seen;
    std::erase_if(stages, [&](const WantedStage &wanted) {
        return m_known.contains(wanted.signature) || !seen.insert(wanted.signature).second;
    });
    if (m_keepBudget && m_maxMeasurements) {
        const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, *m_maxMeasurements - measurements()));
        stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(std::min(left, stages.size())), stages.end());
    }
    m_source.want(std::move(stages));
}

double LatencyQueries::elapsedSeconds() const
{
    return seconds(m_clock.now() - m_start);
}

void LatencyQueries::report(bool now)
{
    const auto time = m_clock.now();
    if (!m_progress || (!now && time - m_reported < kReportEvery))
        return;
    m_reported = time;
    m_seen.elapsedSeconds = elapsedSeconds();
    m_progress(m_seen);
}

} // namespace stagecraft
