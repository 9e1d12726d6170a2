#include "search/dynamic_program.h"

#include "search/infinity.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

double cheapest(std::span<const Transition> transitions, std::span<const double> latencyUs,
                const std::vector<CostByNeighbour> &cost, std::size_t kind)
{
    double best = kInfinity;
    for (const Transition &transition : transitions)
        best = std::min(best, cost[transition.rest][kind] + latencyUs[transition.stage]);
    return best;
}

} // namespace

bool solve(const TransitionTable &table, std::span<const double> latencyUs, const BoundaryCost &boundary,
           const CostByNeighbour &before, BlockSolution &solution, const Interrupt &interrupt)
{
    auto &cost = solution.cost;
    cost.resize(table.firstWide.size());
    cost[0] = before;
    for (std::uint32_t state = 1; state < cost.size(); ++state) {
        if ((state & 255) == 0 && interrupt.raised())
            return false;
        const double narrow = cheapest(table.narrow(state), latencyUs, cost, 0);
        const double wide = cheapest(table.wide(state), latencyUs, cost, 1);
        cost[state] = {std::min(narrow + boundary.chainUs, wide + boundary.barrierUs),
                       std::min(narrow, wide) + boundary.barrierUs};
        solution.last = std::min(narrow, wide);
    }
    return true;
}

std::vector<std::uint32_t> bestPath(const TransitionTable &table, std::span<const double> latencyUs,
                                    const BoundaryCost &boundary, const BlockSolution &solution,
                                    std::optional<bool> nextWide)
{
    std::vector<std::uint32_t> path;
    for (auto state = static_cast<std::uint32_t>(table.firstWide.size() - 1); state != 0;) {
        Transition taken;
        bool takenWide = false;
        double best = kInfinity;
        for (std::size_t i = table.firstTransition[state]; i < table.firstTransition[state + 1]; ++i) {
            const Transition &transition = table.transitions[i];
            const bool wide = i >= table.firstWide[state];
            double value = solution.cost[transition.rest][wide] + latencyUs[transition.stage];
            if (nextWide)
                value += wide || *nextWide ? boundary.barrierUs : boundary.chainUs;
            if (value < best) {
                best = value;
                taken = transition;
                takenWide = wide;
            }
        }
        path.push_back(taken.stage);
        nextWide = takenWide;
        state = taken.rest;
    }
    std::ranges::reverse(path);
    return path;
}

} // namespace stagecraft
