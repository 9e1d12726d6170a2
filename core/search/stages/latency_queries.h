#pragma once

// The only place where a search asks for latencies: keeps the budget, counts, measures time, remembers answers by
// signature, reports progress and tells when to end.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "schedule/stage_signature.h"
#include "search/interrupt.h"
#include "search/options.h"
#include "search/progress.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class LatencyQueries {
public:
    LatencyQueries(const Graph &graph, StageLatencySource &source, const SearchOptions &options,
                   const SearchProgressCallback &progress, std::stop_token stop);

    // Latency of the stage; infinity if the source refuses it. Empty if the search has to end instead, or a partial
    // source does not have the stage.
    [[nodiscard]] std::optional<double> ask(const Stage &stage);
    // The same for a stage whose key (keyOf) is known.
    [[nodiscard]] std::optional<double> ask(const Stage &stage, const StageSignature &key);

    // How many stages the source measures at a time; above 1, want() helps.
    [[nodiscard]] std::size_t atATime() const { return m_source.isTable() ? 1 : m_source.atATime(); }
    // Tells the source what is likely to be asked for next, as StageLatencySource::want: of it what is not known yet
    // and within the budget.
    void want(std::vector<WantedStage> stages);

    // The budget of measurements or time is used up, a stop was requested, or the source failed for good.
    [[nodiscard]] bool mustEnd() const;
    [[nodiscard]] bool cancelled() const { return m_cancelled || m_interrupt.stopRequested(); }
    [[nodiscard]] const std::optional<Error> &fatal() const { return m_fatal; }

    // The number of stages that the source refused, and the error of the smallest of them.
    [[nodiscard]] std::int64_t refused() const { return m_refused; }
    [[nodiscard]] const std::optional<Error> &refusal() const { return m_refusal; }

    [[nodiscard]] const Interrupt &interrupt() const { return m_interrupt; }
    [[nodiscard]] const SearchClock &clock() const { return m_clock; }

    // The key under which a stage is remembered: its signature, or, for a table, its operators.
    [[nodiscard]] StageSignature keyOf(const Stage &stage);
    [[nodiscard]] std::optional<double> known(const StageSignature &key) const;
    [[nodiscard]] StageLatencySource &source() const { return m_source; }

    // While set, only a requested stop ends the search: the first schedule is always measured in full.
    void keepBudget(bool keep) { m_keepBudget = keep; }

    [[nodiscard]] std::int64_t measurements() const { return m_seen.stageMeasurements; }
    [[nodiscard]] std::int64_t repeated() const { return m_seen.stagesRepeated; }
    // Measurements and stored answers of the source.
    [[nodiscard]] std::int64_t answers() const { return static_cast<std::int64_t>(m_known.size()); }
    [[nodiscard]] std::int64_t measurementsOf(std::size_t block) const
    {
        return block < m_perBlock.size() ? m_perBlock[block] : 0;
    }
    [[nodiscard]] double measureSeconds() const { return m_measureSeconds; }
    // Mean time per measurement, without stored answers; empty before the first one.
    [[nodiscard]] std::optional<double> secondsPerMeasurement() const
    {
        if (measurements() == 0)
            return std::nullopt;
        return (m_measureSeconds - m_storedSeconds) / static_cast<double>(measurements());
    }
    [[nodiscard]] double elapsedSeconds() const;

    // The state that is reported, at most every 50 ms.
    [[nodiscard]] SearchProgress &progress() { return m_seen; }
    void report(bool now = false);

private:
    StageLatencySource &m_source;
    const SearchProgressCallback &m_progress;
    SearchClock m_clock;
    Interrupt m_interrupt;
    std::optional<std::int64_t> m_maxMeasurements;
    bool m_keepBudget = false;
    bool m_cancelled = false;
    std::optional<Error> m_fatal;
    std::int64_t m_refused = 0;
    std::optional<Error> m_refusal;
    std::size_t m_refusalOperators = ~std::size_t{0};
    StageSigner m_signer;
    std::unordered_map<StageSignature, double> m_known;
    std::vector<std::int64_t> m_perBlock;
    SearchClock::Time m_start = m_clock.now();
    SearchClock::Time m_reported{};
    double m_measureSeconds = 0;
    double m_storedSeconds = 0; // part of m_measureSeconds spent on stored answers
    SearchProgress m_seen;
};

} // namespace stagecraft
