#pragma once

// Stages that every schedule found by a search must have (SearchOptions::pinned). They need not be in the space of the
// options: a pinned stage may exceed r and s, and may merge although nothing else does.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "search/options.h"
#include "support/result.h"

#include <optional>
#include <span>

namespace stagecraft {

[[nodiscard]] SearchOptions withPinsInNormalForm(SearchOptions options);

// Whether a legal schedule can have all of them. The error names an operator.
[[nodiscard]] Result<void> checkPins(const Graph &graph, const Blocks &blocks, std::span<const Stage> pins);

// The schedule changed so that it has the pinned stages of the options: its other stages without the pinned operators,
// split where a pinned stage has to run in between, and into stages of at most s groups. Without pins, the schedule
// itself. The pins must pass checkPins().
[[nodiscard]] TimedSchedule keepPins(const Graph &graph, const Blocks &blocks, TimedSchedule schedule,
                                     const SearchOptions &options);

// Checks that the schedule has all of them. They are in normal form.
[[nodiscard]] Result<void> verifyPins(const Graph &graph, const Schedule &schedule, std::span<const Stage> pins);

// The optimum without pins, of the same space and device as `pinned`, if `other` proves it. Otherwise empty.
[[nodiscard]] std::optional<double> freeOptimumUs(const TimedSchedule &pinned, const TimedSchedule &other);

} // namespace stagecraft
