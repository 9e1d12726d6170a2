#pragma once

// The spaces of a whole network, one after another, as one shortest path. A block is solved again only if one of its
// stage costs changed, or what comes before it now favours another kind of first stage.

#include "search/stages/dynamic_program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr double kSumMargin = 1e-9; // relative: costs summed in another order

// Per space: the cost of each stage, and a number that grows whenever one changes.
struct SpaceCosts {
    std::span<const double> us;
    std::uint64_t version = 0;
};

class Chain {
public:
    Chain(std::span<const StateSpace> spaces, BoundaryCost boundary);

    // Cost of the cheapest schedule; infinity if there is none. False if interrupted: nothing else may be called then.
    [[nodiscard]] bool solve(const std::function<SpaceCosts(std::size_t)> &costs, const Interrupt &interrupt)
    {
        return solve(costs, false, interrupt);
    }
    [[nodiscard]] double totalUs() const { return m_totalUs; }

    // The same, but costs are summed from the start, as in the latency of a schedule: equal to it to the last digit.
    [[nodiscard]] bool solveExactly(const std::function<SpaceCosts(std::size_t)> &costs, const Interrupt &interrupt)
    {
        return solve(costs, true, interrupt);
    }

    // The stages of the cheapest schedule, per space in order, under the costs last solved for.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>>
    path(const std::function<SpaceCosts(std::size_t)> &costs) const;

    // Drops transitions through which every schedule costs `limitUs` or more, under costs that were just solved for and
    // will not fall. If interrupted, returns false and keeps the remaining spaces as they are.
    bool discard(const std::function<SpaceCosts(std::size_t)> &costs, double limitUs, const Interrupt &interrupt);

    // Per space and stage: no schedule with the stage costs less, under costs that were just solved for; infinity if no
    // schedule has it. Empty if interrupted.
    [[nodiscard]] std::vector<std::vector<double>> leastWith(const std::function<SpaceCosts(std::size_t)> &costs,
                                                             const Interrupt &interrupt) const;

    // Costs within a space, from its start up to each state, by the kind of the following stage.
    [[nodiscard]] const BlockSolution &solution(std::size_t space) const { return m_entries[space].solution; }
    [[nodiscard]] double offsetUs(std::size_t space) const { return m_entries[space].offsetUs; }

private:
    bool solve(const std::function<SpaceCosts(std::size_t)> &costs, bool fromStart, const Interrupt &interrupt);

    // visit(transition, us) for each that is left in the space, by its index; us: the cheapest schedule through it.
    // `behind`: cost of all later spaces, by whether the last stage here is concurrent; becomes that of this one, too.
    // False if interrupted.
    template <typename Visit>
    bool eachThrough(std::size_t space, std::span<const double> us, CostByNeighbour &behind, const Interrupt &interrupt,
                     const Visit &visit) const;

    struct Entry {
        std::optional<TransitionTable> left; // transitions of the space that discard() kept
        BlockSolution solution;
        CostByNeighbour before{};
        double offsetUs = 0; // cost of everything before the space, if its first stage is not concurrent
        std::uint64_t version = 0;
    };

    [[nodiscard]] const TransitionTable &table(std::size_t space) const
    {
        return m_entries[space].left ? *m_entries[space].left : m_spaces[space];
    }

    std::span<const StateSpace> m_spaces;
    BoundaryCost m_boundary;
    std::vector<Entry> m_entries;
    double m_totalUs = 0;
};

} // namespace stagecraft
