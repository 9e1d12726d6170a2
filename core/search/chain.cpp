#include "search/chain.h"

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
            if (!stagecraft::solve(m_spaces[s], now.us, m_boundary, before, entry.solution, interrupt)) {
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
    std::optional<bool> nextWide;
    for (std::size_t s = m_spaces.size(); s-- > 0;) {
        result[s] = bestPath(m_spaces[s], costs(s).us, m_boundary, m_entries[s].solution, nextWide);
        if (!result[s].empty())
            nextWide = m_spaces[s].stages[result[s].front()].wide;
    }
    return result;
}

} // namespace stagecraft
