#pragma once

// Schedules that need no search: where the search starts from, so that there is a good answer at once. All of them lie
// in the space of the options.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/options.h"

#include <span>

namespace stagecraft {

// List scheduling by critical path: operators that are ready are taken by the weight of the heaviest path that starts
// with them; `s` of them start the groups of a stage, and a group goes on along the path while it has fewer than `r`
// operators and nothing else is missing. `weight` per operator of the graph.
[[nodiscard]] Schedule listSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options,
                                    std::span<const double> weight);

// The greedy schedule with stages of more than s groups cut into several.
[[nodiscard]] Schedule boundedGreedySchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options);

// Sequential, but with everything merged that can be, at most s at a time.
[[nodiscard]] Schedule mergedSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options);

} // namespace stagecraft
