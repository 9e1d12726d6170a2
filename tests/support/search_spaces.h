#pragma once

// The search spaces in which searches are compared with brute force.

#include "schedule/stage_latency_source.h"
#include "search/options.h"

#include <QtTest>

#include <utility>

namespace stagecraft::test {

// Rows of options and boundaries: every strategy, bounds from none to tight, with and without a single source.
inline void addSpaces()
{
    QTest::addColumn<SearchOptions>("options");
    QTest::addColumn<BoundaryCost>("boundary");
    const std::pair<int, int> bounds[] = {{3, 8}, {1, 2}, {2, 1}, {2, 2}, {0, 0}};
    const BoundaryCost boundaries[] = {{0, 0}, {4.3, 0}, {2.7, 1.1}, {0.3, 2.2}};
    int row = 0;
    for (const StrategySet strategies :
         {StrategySet::Parallel, StrategySet::Merge, StrategySet::Both, StrategySet::All}) {
        for (const auto &[r, s] : bounds) {
            for (const bool singleSource : {false, true}) {
                SearchOptions options;
                options.strategies = strategies;
                options.r = boundOf(r);
                options.s = boundOf(s);
                options.singleSource = singleSource;
                const BoundaryCost boundary = boundaries[row++ % 4];
                QTest::addRow("%s r=%d s=%d%s barrier=%g chain=%g", toString(strategies).data(), r, s,
                              singleSource ? " single source" : "", boundary.barrierUs, boundary.chainUs)
                    << options << boundary;
            }
        }
    }
}

} // namespace stagecraft::test
