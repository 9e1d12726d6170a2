#pragma once

// The whole spaces of the blocks of a graph, small before large. A search without a time limit builds them first, so a
// search with a limit spends its time on them as long as that looks sufficient. If it does not, the caller searches in
// another way for a while and comes back: nothing that was built is lost.

#include "search/stages/latency_queries.h"
#include "search/stages/state_space.h"

#include <optional>
#include <vector>

namespace stagecraft {

class WholeSpaces {
public:
    WholeSpaces(const Graph &graph, const Blocks &blocks, const SearchOptions &options);

    // `leftSeconds`: infinity without a limit. `toTheEnd`: ignore the time. Returns when all spaces are built or known
    // to be too large, when interrupted, or when the rest is not worth waiting for.
    void build(const LatencyQueries &queries, double leftSeconds, bool toTheEnd);

    [[nodiscard]] bool isUnderWay() const; // some block's space is neither built nor known to be too large
    [[nodiscard]] const std::vector<std::size_t> &order() const { return m_order; }

    // The space of a block, if built; give it back before the next build().
    [[nodiscard]] std::optional<StateSpace> take(std::size_t block);
    [[nodiscard]] bool has(std::size_t block) const { return m_ofBlock[block].space.has_value(); }
    void giveBack(StateSpace space);

    // What is left of the limits after the spaces that were built.
    [[nodiscard]] const SpaceLimits &left() const { return m_left; }

private:
    struct OfBlock {
        std::optional<SpaceBuilder> builder; // unfinished
        std::optional<StateSpace> space;
        bool isTooLarge = false;
        bool isBuilt = false;
        double seconds = 0; // time spent on it
    };

    [[nodiscard]] bool isOpen(const OfBlock &of) const { return !of.isBuilt && !of.isTooLarge; }
    bool buildPiece(std::size_t block, const Interrupt &interrupt, const SearchClock &clock);
    [[nodiscard]] double expectedSeconds() const;

    const Graph &m_graph;
    const Blocks &m_blocks;
    const SearchOptions &m_options;
    std::vector<std::size_t> m_order;
    std::vector<OfBlock> m_ofBlock;
    SpaceLimits m_left;
};

} // namespace stagecraft
