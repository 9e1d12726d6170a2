#pragma once

// The fastest schedule that needs at most so many bytes at any time: live tensors and workspace, without weights, as
// plan::plannedMemory counts them. The dynamic program of search/stages/search.h with a filter on its transitions. What
// is live in a stage follows from the operators before it and the stage, but for merges before it whose output is still
// read: so those are part of the state, and the result is exact within r, s and the strategies.

#include "graph/block.h"
#include "graph/graph.h"
#include "plan/memory_use.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "search/options.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagecraft {

// What counts against a cap.
struct CountedMemory {
    std::int64_t elementBytes = 4; // of every tensor
    // Of the kernels of a stage; empty: plan::plannedWorkspace. The same for stages with the same signature.
    std::function<Result<plan::StageWorkspace>(const Stage &stage)> workspace = {};
};

struct MemoryCap {
    std::size_t bytes = 0;
    CountedMemory counted;
};

struct CappedResult {
    std::vector<Stage> stages;
    double sumUs = 0; // of stages and boundaries
    std::size_t livePeakBytes = 0;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0; // distinct stages asked for
};

// Called now and then with the number of transitions looked at.
using CappedProgress = std::function<void(std::int64_t transitions)>;

// The least cap with which some schedule of the space is possible. Errors: InvalidInput (a block too large to be
// searched whole, a tensor without a known shape), Cancelled, those of the workspace.
[[nodiscard]] Result<std::size_t> smallestCap(const Graph &graph, const Blocks &blocks, const SearchOptions &options,
                                              const CountedMemory &counted, const CappedProgress &progress,
                                              const std::stop_token &stop);

// Errors: those, InvalidInput naming the smallest cap if no schedule fits, and the source's.
[[nodiscard]] Result<CappedResult> searchCapped(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                                const SearchOptions &options, const MemoryCap &cap,
                                                const CappedProgress &progress, const std::stop_token &stop);

} // namespace stagecraft
