#pragma once

// Schedules without search: starting points, so that there is a good answer at once. All are in the space of the
// options.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "search/options.h"

#include <span>

namespace stagecraft {

// List scheduling by critical path: ready operators are taken by the weight of the heaviest path that starts with them.
// `s` of them start the groups of a stage; a group continues along the path while it has fewer than `r` operators and
// all other inputs are done. `weight`: per operator of the graph.
[[nodiscard]] TimedSchedule listSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options,
                                         std::span<const double> weight);

// The greedy schedule, with stages of more than s groups split.
[[nodiscard]] TimedSchedule boundedGreedySchedule(const Graph &graph, const Blocks &blocks,
                                                  const SearchOptions &options);

// Sequential, but everything that can be merged is merged, at most s at a time.
[[nodiscard]] TimedSchedule mergedSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options);

// Each block as one fused stage; one with pinned stages, one operator at a time.
[[nodiscard]] TimedSchedule fusedSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options);

} // namespace stagecraft
