#include "search/capped/expected_latencies.h"

#include "search/infinity.h"

#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kWantedAhead = 4; // stages for each that is measured at a time

}

ExpectedLatencies::ExpectedLatencies(const Graph &graph, StageLatencySource &source, std::stop_token stop)
    : m_signer(graph), m_source(source), m_stop(std::move(stop))
{
}

void ExpectedLatencies::expect(Stage stage)
{
    const StageSignature signature = m_signer.sign(stage);
    if (m_areExpected.insert(signature).second)
        m_expected.push_back({std::move(stage), signature});
}

Result<double> ExpectedLatencies::of(const Stage &stage)
{
    const StageSignature signature = m_signer.sign(stage);
    const auto found = m_known.find(signature);
    if (found != m_known.end() && !m_source.isTable())
        return found->second;
    if (expects())
        wantNext(stage, signature);
    const auto latency = m_source.stageLatency({stage, signature}, m_stop);
    ++m_asked;
    if (!latency && latency.error().code != ErrorCode::DeviceFailed && !m_source.isTable())
        return tl::unexpected(latency.error());
    double us = kInfinity;
    if (latency)
        us = latency->timing.latencyUs;
    m_known[signature] = us;
    return us;
}

// Anew after as many questions as there are answers at a time.
void ExpectedLatencies::wantNext(const Stage &stage, const StageSignature &signature)
{
    if (m_ahead > 0) {
        --m_ahead;
        return;
    }
    const std::size_t atATime = m_source.atATime();
    m_ahead = atATime - 1;
    while (m_next < m_expected.size() && m_known.contains(m_expected[m_next].signature))
        ++m_next;
    std::vector<WantedStage> wanted{{stage, signature}};
    for (std::size_t i = m_next; i < m_expected.size() && wanted.size() < kWantedAhead * atATime; ++i) {
        const StageSignature &expected = m_expected[i].signature;
        if (expected != signature && !m_known.contains(expected))
            wanted.push_back(m_expected[i]);
    }
    m_source.want(std::move(wanted));
}

} // namespace stagecraft
