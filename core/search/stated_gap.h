#pragma once

// How far, at most, the result of a search is from the optimum of its space, and what that rests on.
//
// Every basis of bounds (BoundBasis) gives each stage a cost: its latency where it was measured, the largest bound that
// is trusted where not. No schedule costs less than the cheapest one under these costs, if the basis holds. Where
// measured stages broke an assumption, its bounds on the others count for less by as much: stage by stage, so what was
// measured keeps its full latency. The gap is that of the trust that says most; a tie goes to the one that needs less.

#include "graph/block.h"
#include "graph/graph.h"
#include "search/options.h"
#include "search/result.h"
#include "search/stage_latency_source.h"
#include "search/stage_table.h"

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
    const std::vector<bool> &tooLarge;  // per block: its space is not held as a whole
    std::span<const double> operatorUs; // alone in a stage, per operator of the graph; 0 where not known or pinned
    std::span<const double> pinnedUs;   // of the pinned stages, per block
    double bestUs = 0;                  // of the schedule that is judged
    double searchedUs = 0;              // what the search itself found to be needed, before any allowance; 0: unknown
};

struct StatedGap {
    double gap = 0; // infinity: unknown
    std::optional<BoundAssumption> assumption;
    std::vector<double> blockUs; // what each block takes at least, alone, by the same trust
    bool needsMore = false;      // it rests on more than that no stage is faster than its slowest group
    bool within = false;         // within the epsilon of the search
};

// `found`: the blocks of the schedule with their latencies. Bounds that time does not suffice for are left out.
[[nodiscard]] StatedGap statedGap(const GapQuestion &question, std::span<const BlockSearch> found,
                                  const Interrupt &watchdog);

} // namespace stagecraft
