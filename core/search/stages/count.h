#pragma once

// The size of a block's search space: states, transitions (S, S') and schedules, without asking for latencies.

#include "graph/block.h"
#include "graph/graph.h"
#include "search/options.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace stagecraft {

struct SpaceCount {
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    double schedules = 0; // exact up to 2^53
    bool complete = true; // false: a limit ended the count; the real numbers are larger
};

// Limits of the count: 8 million states take 1 GiB of memory.
struct CountLimits {
    std::size_t states = 8'000'000;
    std::int64_t transitions = 20'000'000'000;
    std::optional<double> seconds;
};

// Uses strategies, r, s and singleSource of the options. Cancelled if a stop is requested.
[[nodiscard]] Result<SpaceCount> countSpace(const Graph &graph, const Block &block, const SearchOptions &options,
                                            std::stop_token stop = {}, const CountLimits &limits = {});

} // namespace stagecraft
