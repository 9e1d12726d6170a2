#pragma once

// Stages that a search has to keep (SearchOptions::pinned): whatever else is found, the schedule has these stages. They
// need not be in the space of the options: a pinned stage may exceed r and s, and merge where nothing else may.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/options.h"
#include "support/result.h"

#include <optional>
#include <span>

namespace stagecraft {

[[nodiscard]] SearchOptions withPinsInNormalForm(SearchOptions options);

// There is a legal schedule that has all of them. The error names an operator.
[[nodiscard]] Result<void> checkPins(const Graph &graph, const Blocks &blocks, std::span<const Stage> pins);

// As much of the schedule as can stay beside the pinned stages of the options: its stages without the operators that
// are pinned, cut where those have to run in between, and to at most s groups. Without pins, the schedule. What
// checkPins() refuses is not to be asked for.
[[nodiscard]] Schedule keepPins(const Graph &graph, const Blocks &blocks, Schedule schedule,
                                const SearchOptions &options);

// The schedule has all of them, which are in normal form.
[[nodiscard]] Result<void> verifyPins(const Graph &graph, const Schedule &schedule, std::span<const Stage> pins);

// What the search that found `pinned` would minimise to without pins, where `other` proves it: the optimum of the same
// space on the same device. Nothing where it does not.
[[nodiscard]] std::optional<double> freeOptimumUs(const Schedule &pinned, const Schedule &other);

} // namespace stagecraft
