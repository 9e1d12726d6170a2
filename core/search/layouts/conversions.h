#pragma once

// The copies of one tensor: what it takes to have one more, also by way of other layouts, each of which is a copy then.

#include "schedule/layouts/layout_problem.h"

#include <vector>

namespace stagecraft {

struct ConversionHop {
    LayoutIndex from = 0;
    LayoutIndex to = 0;

    friend bool operator==(const ConversionHop &, const ConversionHop &) = default;
};

// One way to come from some copies to one in a wanted layout.
struct ConversionWay {
    LayoutSet copies = 0; // afterwards
    double us = 0;
    std::vector<ConversionHop> hops; // in order
};

class Conversions {
public:
    Conversions(const ConversionTable &table, std::size_t layouts);

    // Every way that may be best where others read the tensor later: none leaves less at the same or a higher price.
    // One way without hops where the copy is there; empty: impossible.
    [[nodiscard]] const std::vector<ConversionWay> &ways(LayoutSet copies, LayoutIndex wanted) const
    {
        return m_ways[copies * m_layouts + wanted];
    }
    // The cheapest of them: for the last reader.
    [[nodiscard]] const std::vector<ConversionWay> &cheapest(LayoutSet copies, LayoutIndex wanted) const
    {
        return m_cheapest[copies * m_layouts + wanted];
    }
    // The least latency from these copies to at least those.
    [[nodiscard]] double coverUs(LayoutSet copies, LayoutSet wanted) const { return m_cover[copies * m_sets + wanted]; }

private:
    void findWays(const ConversionTable &table, LayoutSet copies, LayoutIndex wanted);
    void findCovers();

    std::size_t m_layouts;
    std::size_t m_sets; // 2 to the number of layouts
    std::vector<std::vector<ConversionWay>> m_ways;
    std::vector<std::vector<ConversionWay>> m_cheapest;
    std::vector<double> m_cover;
};

} // namespace stagecraft
