#include "search/dynamic_program.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double cheapest(std::span<const Transition> transitions, std::span<const double> latencyUs,
                const std::vector<CostByNeighbour> &cost, std::size_t kind)
{
    double best = kInfinity;
    for (const Transition &transition : transitions)
        best = std::min(best, cost[transition.rest][kind] + latencyUs[transition.stage]);
    return best;
}

} // namespace

bool solve(const StateSpace &space, std::span<const double> latencyUs, const BoundaryCost &boundary,
           const CostByNeighbour &before, BlockSolution &solution, const Interrupt &interrupt)
{
    auto &cost = solution.cost;
    cost.resize(space.states.count());
    cost[0] = before;
    for (std::uint32_t state = 1; state < cost.size(); ++state) {
        if ((state & 255) == 0 && interrupt.raised())
            return false;
        const double narrow = cheapest(space.narrow(state), latencyUs, cost, 0);
        const double wide = cheapest(space.wide(state), latencyUs, cost, 1);
        cost[state] = {std::min(narrow + boundary.chainUs, wide + boundary.barrierUs),
                       std::min(narrow, wide) + boundary.barrierUs};
        solution.last = std::min(narrow, wide);
    }
    return true;
}

std::vector<std::uint32_t> bestPath(const StateSpace &space, std::span<const double> latencyUs,
                                    const BoundaryCost &boundary, const BlockSolution &solution,
                                    std::optional<bool> nextWide)
{
    std::vector<std::uint32_t> path;
    for (std::uint32_t state = space.states.full(); state != 0;) {
        Transition taken;
        double best = kInfinity;
        for (std::size_t i = space.firstTransition[state]; i < space.firstTransition[state + 1]; ++i) {
            const Transition &transition = space.transitions[i];
            const bool wide = space.stages[transition.stage].wide;
            double value = solution.cost[transition.rest][wide] + latencyUs[transition.stage];
            if (nextWide)
                value += wide || *nextWide ? boundary.barrierUs : boundary.chainUs;
            if (value < best) {
                best = value;
                taken = transition;
            }
        }
        path.push_back(taken.stage);
        nextWide = space.stages[taken.stage].wide;
        state = taken.rest;
    }
    std::ranges::reverse(path);
    return path;
}

} // namespace stagecraft
