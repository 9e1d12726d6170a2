#pragma once

// Layouts at random, in tests of what executes them.

#include "schedule/layouts/laid_out_graph.h"

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::test {

// Every choice that a device may be asked for is possible, at random latencies: what a search finds is a random
// assignment with its conversions. The first layout is that of the inputs.
[[nodiscard]] inline LayoutProblem randomLayouts(const Graph &graph, std::span<const TensorLayout> layouts,
                                                 std::mt19937 &random)
{
    std::vector<std::string> names;
    for (const TensorLayout layout : layouts)
        names.emplace_back(nameOf(layout));
    LayoutProblem problem = layoutProblemOf(graph, names, 0);
    const auto latency = [&] { return std::uniform_real_distribution<>(1, 100)(random); };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const LayoutPair pair : layoutPairsOf(graph, OperatorId::fromIndex(i), layouts))
            problem.operators[i].choices.push_back({pair, latency()});
    }
    for (double &us : problem.conversionTables.front())
        us = latency();
    return problem;
}

} // namespace stagecraft::test
