#include "search/stages/dynamic_program.h"

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
    cost.resize(table.firstConcurrent.size());
    cost[0] = before;
    for (std::uint32_t state = 1; state < cost.size(); ++state) {
        if ((state & 255) == 0 && interrupt.raised())
            return false;
        const double single = cheapest(table.single(state), latencyUs, cost, 0);
        const double concurrent = cheapest(table.concurrent(state), latencyUs, cost, 1);
        cost[state] = {std::min(single + boundary.chainUs, concurrent + boundary.barrierUs),
                       std::min(single, concurrent) + boundary.barrierUs};
        solution.last = std::min(single, concurrent);
    }
    return true;
}

std::vector<std::uint32_t> bestPath(const TransitionTable &table, std::span<const double> latencyUs,
                                    const BoundaryCost &boundary, const BlockSolution &solution,
                                    std::optional<bool> nextConcurrent)
{
    std::vector<std::uint32_t> path;
    for (auto state = static_cast<std::uint32_t>(table.firstConcurrent.size() - 1); state != 0;) {
        Transition taken;
        bool takenConcurrent = false;
        double best = kInfinity;
        for (std::size_t i = table.firstTransition[state]; i < table.firstTransition[state + 1]; ++i) {
            const Transition &transition = table.transitions[i];
            const bool concurrent = i >= table.firstConcurrent[state];
            double value = solution.cost[transition.rest][concurrent] + latencyUs[transition.stage];
            if (nextConcurrent)
                value += concurrent || *nextConcurrent ? boundary.barrierUs : boundary.chainUs;
            if (value < best) {
                best = value;
                taken = transition;
                takenConcurrent = concurrent;
            }
        }
        path.push_back(taken.stage);
        nextConcurrent = takenConcurrent;
        state = taken.rest;
    }
    std::ranges::reverse(path);
    return path;
}

} // namespace stagecraft
