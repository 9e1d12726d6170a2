#include "search/layouts/conversions.h"

#include <algorithm>

namespace stagecraft {
namespace {

// Follows every chain of conversions that starts at a copy and ends with the wanted one.
class WayFinder {
public:
    WayFinder(const ConversionTable &table, std::size_t layouts, LayoutIndex wanted)
        : m_table(table), m_layouts(static_cast<LayoutIndex>(layouts)), m_wanted(wanted)
    {
    }

    std::vector<ConversionWay> from(LayoutSet copies)
    {
        if (has(copies, m_wanted))
            return {{copies, 0, {}}};
        for (LayoutIndex start = 0; start < m_layouts; ++start) {
            if (has(copies, start))
                follow(start, {copies, 0, {}});
        }
        std::ranges::stable_sort(m_found, {}, &ConversionWay::us);
        std::vector<ConversionWay> best;
        for (ConversionWay &way : m_found) {
            const bool isWorse = std::ranges::any_of(
                best, [&](const ConversionWay &other) { return (way.copies & ~other.copies) == 0; });
            if (!isWorse)
                best.push_back(std::move(way));
        }
        return best;
    }

private:
    void follow(LayoutIndex at, const ConversionWay &soFar)
    {
        for (LayoutIndex to = 0; to < m_layouts; ++to) {
            const double us = m_table[at * m_layouts + to];
            if (has(soFar.copies, to) || us == kImpossible)
                continue;
            ConversionWay next = soFar;
            next.copies |= only(to);
            next.us += us;
            next.hops.push_back({at, to});
            if (to == m_wanted)
                m_found.push_back(std::move(next));
            else
                follow(to, next);
        }
    }

    const ConversionTable &m_table;
    LayoutIndex m_layouts;
    LayoutIndex m_wanted;
    std::vector<ConversionWay> m_found;
};

} // namespace

Conversions::Conversions(const ConversionTable &table, std::size_t layouts)
    : m_layouts(layouts), m_sets(std::size_t{1} << layouts), m_ways(m_sets * layouts), m_cheapest(m_sets * layouts)
{
    for (std::size_t copies = 1; copies < m_sets; ++copies) {
        for (LayoutIndex wanted = 0; wanted < static_cast<LayoutIndex>(layouts); ++wanted)
            findWays(table, static_cast<LayoutSet>(copies), wanted);
    }
    findCovers();
}

void Conversions::findWays(const ConversionTable &table, LayoutSet copies, LayoutIndex wanted)
{
    const std::size_t entry = copies * m_layouts + wanted;
    m_ways[entry] = WayFinder(table, m_layouts, wanted).from(copies);
    if (!m_ways[entry].empty())
        m_cheapest[entry] = {m_ways[entry].front()};
}

// Wanted copies one after the other, in the best order: from more copies to fewer, as conversions only add.
void Conversions::findCovers()
{
    m_cover.assign(m_sets * m_sets, kImpossible);
    for (std::size_t copies = m_sets; copies-- > 1;) {
        for (std::size_t wanted = 0; wanted < m_sets; ++wanted) {
            double &least = m_cover[copies * m_sets + wanted];
            if ((wanted & ~copies) == 0)
                least = 0;
            for (LayoutIndex next = 0; next < static_cast<LayoutIndex>(m_layouts); ++next) {
                if (!has(static_cast<LayoutSet>(wanted & ~copies), next))
                    continue;
                for (const ConversionWay &way : ways(static_cast<LayoutSet>(copies), next))
                    least = std::min(least, way.us + m_cover[way.copies * m_sets + wanted]);
            }
        }
    }
}

} // namespace stagecraft
