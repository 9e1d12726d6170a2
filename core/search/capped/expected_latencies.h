#pragma once

// Latencies of stages by their signatures, each asked for once. A source that measures several stages at a time is told
// of those that are expected to be asked for, a few at a time and in order.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "schedule/stage_signature.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stagecraft {

class ExpectedLatencies {
public:
    ExpectedLatencies(const Graph &graph, StageLatencySource &source, std::stop_token stop);

    // Whether it helps to expect stages.
    [[nodiscard]] bool expects() const { return !m_source.isTable() && m_source.atATime() > 1; }
    void expect(Stage stage);

    // In microseconds; infinity: the source has none. Errors: those that end a search.
    [[nodiscard]] Result<double> of(const Stage &stage);
    [[nodiscard]] std::int64_t asked() const { return m_asked; }

private:
    void wantNext(const Stage &stage, const StageSignature &signature);

    StageSigner m_signer;
    StageLatencySource &m_source;
    std::stop_token m_stop;
    std::unordered_map<StageSignature, double> m_known;
    std::int64_t m_asked = 0;
    std::vector<WantedStage> m_expected; // each once, in the order in which they will be asked for
    std::unordered_set<StageSignature> m_areExpected;
    std::size_t m_next = 0;  // of m_expected, the first that may not be known
    std::size_t m_ahead = 0; // how many more questions until more is wanted
};

} // namespace stagecraft
