#pragma once

// Shortest path whose edges are expensive to weigh (LazySP: Dellin and Srinivasa, arXiv 1603.03490). Stages that were
// not asked for count with a lower bound; the cheapest path under these costs bounds every schedule from below. Stages
// on it are asked for, where most is expected to be gained, until the bound meets the best schedule known. Schedules
// that are likely to be good are found along the way with guessed latencies (search/predictor.h).

#include "search/chain.h"
#include "search/latency_queries.h"
#include "search/predictor.h"
#include "search/stage_table.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using StagePath = std::vector<std::vector<std::uint32_t>>; // per space, first to last

class LazySearch {
public:
    // `bestUs`: of the best schedule known so far.
    LazySearch(std::span<const StateSpace> spaces, StageTable &table, LatencyQueries &queries,
               const SearchOptions &options, double bestUs);

    // Until the best schedule is proved within epsilon, or the asker must end.
    void run();

    // Asks for every stage of the spaces (options.exhaustive, tables).
    void runExhaustively();

    // The best schedule is within epsilon of the optimum.
    [[nodiscard]] bool proved() const { return m_lowerUs * (1 + m_options.epsilon) >= m_bestUs; }
    [[nodiscard]] double lowerBoundUs() const { return m_lowerUs; }
    [[nodiscard]] double bestUs() const { return m_bestUs; }
    // Nothing if no schedule better than the one it started with was found.
    [[nodiscard]] const std::optional<StagePath> &best() const { return m_best; }

private:
    [[nodiscard]] SpaceCosts atLeast(std::size_t space) const
    {
        return {m_table.atLeast(space), m_table.version(space)};
    }
    [[nodiscard]] std::vector<std::uint32_t> unknownOn(const StagePath &path) const;
    [[nodiscard]] double costOf(const StagePath &path) const;
    bool ask(std::uint32_t index);
    void consider(const StagePath &path);
    bool boundBelow(bool exactly = false);
    bool improve();
    bool tighten();
    [[nodiscard]] bool askingIsCheaper() const;

    std::span<const StateSpace> m_spaces;
    StageTable &m_table;
    LatencyQueries &m_queries;
    const SearchOptions &m_options;
    BoundaryCost m_boundary;
    Chain m_optimistic;
    Chain m_guessed;
    std::optional<Predictor> m_predictor; // of run()
    StagePath m_optimisticPath;
    double m_lowerUs = 0;
    double m_bestUs;
    std::optional<StagePath> m_best;
};

} // namespace stagecraft
