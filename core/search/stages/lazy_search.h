#pragma once

// Shortest path whose edges are expensive to weigh (LazySP: Dellin and Srinivasa, arXiv 1603.03490). Unknown stages
// count with a lower bound, so the cheapest path bounds every schedule from below. Stages on it are asked for, most
// promising first, until the bound meets the best known schedule. Guessed latencies (search/stages/predictor.h) find
// good schedules on the way; with a learned order they also choose what raises the bound with the fewest answers
// (search/stages/proof_plan.h).

#include "search/result.h"
#include "search/stages/chain.h"
#include "search/stages/latency_queries.h"
#include "search/stages/predictor.h"
#include "search/stages/stage_table.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using StagePath = std::vector<std::vector<std::uint32_t>>; // per space, first to last

class LazySearch {
public:
    // `bestUs`: latency of the best schedule so far. `order`: null: by bounds alone.
    LazySearch(std::span<const StateSpace> spaces, StageTable &table, LatencyQueries &queries,
               const SearchOptions &options, double bestUs, LearnedOrder *order = nullptr);

    // Runs until the best schedule is proved within epsilon, or the search must end.
    void run();

    // Asks for every stage of the spaces (options.exhaustive, tables).
    void runExhaustively();

    // Asks for every stage that a partial source has. Of the others, those that could make the best schedule faster
    // are wanted.
    void runOnKnown();
    [[nodiscard]] const std::vector<MissingStage> &wanted() const { return m_wanted; }

    // The best schedule is within epsilon of the optimum.
    [[nodiscard]] bool proved() const { return m_lowerUs * (1 + m_options.epsilon) >= m_bestUs; }
    [[nodiscard]] double lowerBoundUs() const { return m_lowerUs; }
    [[nodiscard]] double bestUs() const { return m_bestUs; }
    // Empty if no schedule better than the first was found.
    [[nodiscard]] const std::optional<StagePath> &best() const { return m_best; }

private:
    [[nodiscard]] SpaceCosts atLeast(std::size_t space) const
    {
        return {m_table.atLeast(space), m_table.version(space)};
    }
    [[nodiscard]] std::vector<std::uint32_t> unknownOn(const StagePath &path) const;
    [[nodiscard]] double costOf(const StagePath &path) const;
    bool ask(std::uint32_t index);
    void findWanted();
    bool askAll(const std::vector<std::uint32_t> &unknown);
    void wantWith(const std::vector<std::uint32_t> &unknown);
    void want(const std::vector<std::uint32_t> &indices);
    [[nodiscard]] std::vector<std::uint32_t> ahead(std::vector<std::uint32_t> wanted, std::size_t most);
    void consider(const StagePath &path);
    bool boundBelow(bool exactly = false);
    bool improve();
    bool tighten();
    [[nodiscard]] std::vector<std::uint32_t> planned();
    [[nodiscard]] bool askingIsCheaper() const;

    std::span<const StateSpace> m_spaces;
    StageTable &m_table;
    LatencyQueries &m_queries;
    const SearchOptions &m_options;
    BoundaryCost m_boundary;
    Chain m_optimistic;
    Chain m_guessed;
    LearnedOrder *m_order;
    std::optional<Predictor> m_predictor; // used by run()
    StagePath m_optimisticPath;
    std::vector<std::uint32_t> m_ahead; // wanted: likely to be asked for later
    double m_lowerUs = 0;
    double m_bestUs;
    std::optional<StagePath> m_best;
    std::vector<MissingStage> m_wanted;
};

} // namespace stagecraft
