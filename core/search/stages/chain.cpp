#include "search/stages/chain.h"

#include "search/infinity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

Chain::Chain(std::span<const StateSpace> spaces, BoundaryCost boundary)
    : m_spaces(spaces), m_boundary(boundary), m_entries(spaces.size())
{
}

bool Chain::solve(const std::function<SpaceCosts(std::size_t)> &costs, bool fromStart, const Interrupt &interrupt)
{
    double offsetUs = 0;
    CostByNeighbour before{0, 0};
    m_totalUs = 0;
    for (std::size_t s = 0; s < m_spaces.size(); ++s) {
        Entry &entry = m_entries[s];
        const SpaceCosts now = costs(s);
        entry.offsetUs = offsetUs;
        if (entry.version != now.version || entry.before != before) {
            if (!stagecraft::solve(table(s), now.us, m_boundary, before, entry.solution, interrupt)) {
                entry.version = 0;
                return false;
            }
            entry.version = now.version;
            entry.before = before;
        }
        m_totalUs = offsetUs + entry.solution.last;
        if (!std::isfinite(m_totalUs)) {
            m_totalUs = std::numeric_limits<double>::infinity();
            return true;
        }
        const CostByNeighbour &after = entry.solution.cost.back();
        if (fromStart) {
            before = after;
        } else {
            offsetUs += after[0];
            before = {0, after[1] - after[0]};
        }
    }
    return true;
}

std::vector<std::vector<std::uint32_t>> Chain::path(const std::function<SpaceCosts(std::size_t)> &costs) const
{
    std::vector<std::vector<std::uint32_t>> result(m_spaces.size());
    std::optional<bool> nextConcurrent;
    for (std::size_t s = m_spaces.size(); s-- > 0;) {
        result[s] = bestPath(table(s), costs(s).us, m_boundary, m_entries[s].solution, nextConcurrent);
        if (!result[s].empty())
            nextConcurrent = m_spaces[s].stages[result[s].front()].concurrent;
    }
    return result;
}

template <typename Visit>
bool Chain::eachThrough(std::size_t space, std::span<const double> us, CostByNeighbour &behind,
                        const Interrupt &interrupt, const Visit &visit) const
{
    const TransitionTable &all = table(space);
    const auto &before = m_entries[space].solution.cost;
    const auto states = static_cast<std::uint32_t>(all.firstConcurrent.size());
    std::vector<CostByNeighbour> after(states, {kInfinity, kInfinity});
    after.back() = behind;
    for (std::uint32_t state = states - 1; state > 0; --state) {
        if ((state & 255) == 0 && interrupt.raised())
            return false;
        for (std::size_t i = all.firstTransition[state]; i < all.firstTransition[state + 1]; ++i) {
            const Transition &transition = all.transitions[i];
            const bool concurrent = i >= all.firstConcurrent[state];
            const double onwards = us[transition.stage] + after[state][concurrent];
            visit(i, m_entries[space].offsetUs + before[transition.rest][concurrent] + onwards);
            CostByNeighbour &rest = after[transition.rest];
            rest[0] = std::min(rest[0], onwards + (concurrent ? m_boundary.barrierUs : m_boundary.chainUs));
            rest[1] = std::min(rest[1], onwards + m_boundary.barrierUs);
        }
    }
    behind = after.front();
    return true;
}

std::vector<std::vector<double>> Chain::leastWith(const std::function<SpaceCosts(std::size_t)> &costs,
                                                  const Interrupt &interrupt) const
{
    std::vector<std::vector<double>> least;
    for (const StateSpace &space : m_spaces)
        least.emplace_back(space.stages.size(), kInfinity);
    CostByNeighbour behind{0, 0};
    for (std::size_t s = m_spaces.size(); s-- > 0;) {
        const auto keepLeast = [&](std::size_t transition, double us) {
            double &known = least[s][table(s).transitions[transition].stage];
            known = std::min(known, us);
        };
        if (!eachThrough(s, costs(s).us, behind, interrupt, keepLeast))
            return {};
    }
    return least;
}

bool Chain::discard(const std::function<SpaceCosts(std::size_t)> &costs, double limitUs, const Interrupt &interrupt)
{
    CostByNeighbour behind{0, 0}; // cost of all later spaces, by whether the last stage here is concurrent
    std::vector<bool> keep;
    for (std::size_t s = m_spaces.size(); s-- > 0;) {
        const TransitionTable &all = table(s);
        const auto states = static_cast<std::uint32_t>(all.firstConcurrent.size());
        keep.assign(all.transitions.size(), false);
        const auto keepBetter = [&](std::size_t transition, double us) { keep[transition] = us < limitUs; };
        if (!eachThrough(s, costs(s).us, behind, interrupt, keepBetter))
            return false;

        TransitionTable left;
        for (std::uint32_t state = 1; state < states; ++state) {
            for (std::size_t i = all.firstTransition[state]; i < all.firstTransition[state + 1]; ++i) {
                if (i == all.firstConcurrent[state])
                    left.firstConcurrent.push_back(left.transitions.size());
                if (keep[i])
                    left.transitions.push_back(all.transitions[i]);
            }
            if (all.firstConcurrent[state] == all.firstTransition[state + 1])
                left.firstConcurrent.push_back(left.transitions.size());
            left.firstTransition.push_back(left.transitions.size());
        }
        m_entries[s].left = std::move(left);
    }
    return true;
}

} // namespace stagecraft
