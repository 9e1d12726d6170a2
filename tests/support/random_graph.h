#pragma once

// Random DAGs of operators, small enough for brute force or as wide as needed. Deterministic in the seed.

#include "graph/block.h"
#include "support/graph_making.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace stagecraft::test {

struct RandomGraphOptions {
    int operators = 6;
    double density = 0.35;    // chance of an edge from an earlier operator
    double sharedInput = 0.4; // chance that an operator reads a single earlier tensor, so that it can be merged
    int kinds = 3;            // number of different convolutions: with fewer, more stages have the same signature
    double products = 0;      // chance that an operator that reads a single tensor is a product
};

inline Graph randomGraph(std::uint32_t seed, const RandomGraphOptions &options)
{
    std::mt19937 random(seed);
    const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
    const auto below = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };

    GraphBuilder builder("random" + std::to_string(seed));
    std::vector<TensorId> tensors{take(builder.addInput("input", Shape{{1, 8, 8, 8}}))};
    for (int i = 0; i < options.operators; ++i) {
        std::vector<TensorId> read;
        if (chance(options.sharedInput)) {
            read.push_back(
                tensors[static_cast<std::size_t>(below(static_cast<int>(std::min<std::size_t>(tensors.size(), 3))))]);
        } else {
            for (std::size_t t = 1; t < tensors.size(); ++t) {
                if (chance(options.density))
                    read.push_back(tensors[t]);
            }
            if (read.empty())
                read.push_back(tensors.front());
        }
        if (options.products > 0 && read.size() == 1 && chance(options.products)) {
            tensors.push_back(take(builder.add(product("op" + std::to_string(i), read.front(), 8))));
            continue;
        }
        // Every convolution keeps the shape, so that any two can be summed; kinds differ in the kernel.
        const std::int64_t kernel = 1 + 2 * below(options.kinds);
        tensors.push_back(take(builder.add(conv("op" + std::to_string(i), {read}, 8, kernel))));
    }
    return take(builder.build());
}

// Cuts the operators in order into `count` blocks of about the same size.
inline Blocks consecutiveBlocks(const Graph &graph, std::size_t count)
{
    Blocks blocks(count);
    for (std::size_t i = 0; i < graph.size(); ++i)
        blocks[i * count / graph.size()].operators.push_back(OperatorId::fromIndex(i));
    return blocks;
}

// `chains` independent chains of `length` operators, joined at the end.
inline Graph parallelChains(int chains, int length)
{
    GraphBuilder builder("chains");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    std::vector<TensorId> ends;
    for (int c = 0; c < chains; ++c) {
        TensorId last = input;
        for (int i = 0; i < length; ++i)
            last = take(builder.add(
                conv("c" + std::to_string(c) + "_" + std::to_string(i), {{last}}, 8, 1 + 2 * ((c + i) % 3))));
        ends.push_back(last);
    }
    InputExpression expression;
    for (const TensorId end : ends)
        expression.push_back({end});
    static_cast<void>(take(builder.add(join("join", expression))));
    return take(builder.build());
}

} // namespace stagecraft::test
