#pragma once

// How far, at most, the result of a search is from the optimum of its space, and what that is based on.
//
// Every basis of bounds (BoundBasis) gives each stage a cost: its latency if measured, otherwise the largest bound
// trusted on this basis. If the basis holds, no schedule is faster than the cheapest one under these costs. If measured
// stages broke an assumption, its bounds on the other stages are reduced by as much; measured stages keep their full
// latency. The smallest gap is stated; a tie goes to the basis that assumes less.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/stage_latency_source.h"
#include "search/options.h"
#include "search/result.h"
#include "search/stages/stage_table.h"

#include <span>
#include <vector>

namespace stagecraft {

struct GapQuestion {
    const Graph &graph;
    const Blocks &blocks;
    const SearchOptions &options;
    const StageLatencySource &source;
    std::span<const StateSpace> spaces;
    const StageTable *table;            // of the spaces; null: there was no time for any
    const std::vector<bool> &tooLarge;  // per block: its whole space is not in memory
    std::span<const double> operatorUs; // of each operator alone in a stage; 0 if unknown or pinned
    std::span<const double> pinnedUs;   // sum of the pinned stages, per block
    const std::vector<Stage> &stages;   // of the schedule to judge
    double bestUs = 0;                  // of that schedule
    double searchedUs = 0;              // lower bound found by the search itself, before any allowance; 0: unknown
};

struct StatedGap {
    double gap = 0; // infinity: unknown
    std::optional<BoundAssumption> assumption;
    std::vector<double> blockUs;   // lower bound for each block alone, on the same basis
    std::vector<double> inPlaceUs; // lower bound for each block between its neighbours (BlockSearch::inPlaceBoundUs)
    bool needsMore = false;        // it assumes more than that no stage is faster than its slowest group
    bool within = false;           // within the epsilon of the search
};

// `found`: the blocks of the schedule with their latencies. Bounds for which there is no time are left out.
[[nodiscard]] StatedGap statedGap(const GapQuestion &question, std::span<const BlockSearch> found,
                                  const Interrupt &watchdog);

} // namespace stagecraft
