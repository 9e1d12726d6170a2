#pragma once

// Shortest path over the states of a block: cost[S] = min over endings S' of cost[S - S'] + latency(S') (IOS, section
// 4.2), extended by the cost between stages, which depends on whether the stage after S has several groups. Costs are
// summed front to back in the same order as the latency of a schedule, so results agree to the last digit.

#include "schedule/stage_latency_source.h"
#include "search/stages/state_space.h"

#include <array>
#include <span>
#include <vector>

namespace stagecraft {

// By whether the following stage is concurrent: [0] no, [1] yes.
using CostByNeighbour = std::array<double, 2>;

struct BlockSolution {
    // Cheapest way to run everything up to and including S, and to get to a following stage of either kind; `last` is
    // the cost of the whole block without a following stage.
    std::vector<CostByNeighbour> cost;
    double last = 0;
};

// `latencyUs`: per stage of the space, infinity if a stage is unavailable. `before`: the cost of the blocks before this
// one ({0, 0} for the first). False if interrupted.
[[nodiscard]] bool solve(const TransitionTable &table, std::span<const double> latencyUs, const BoundaryCost &boundary,
                         const CostByNeighbour &before, BlockSolution &solution, const Interrupt &interrupt);

// The stages of the best path in order. `nextConcurrent`: whether the stage after the block is concurrent; empty if
// there is none. A path of finite cost must exist.
[[nodiscard]] std::vector<std::uint32_t> bestPath(const TransitionTable &table, std::span<const double> latencyUs,
                                                  const BoundaryCost &boundary, const BlockSolution &solution,
                                                  std::optional<bool> nextConcurrent);

} // namespace stagecraft
