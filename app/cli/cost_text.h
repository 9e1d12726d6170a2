#pragma once

// How commands state what their numbers omit (graph/cost_basis.h): before the first number, and with every number.

#include "cli/command_line.h"
#include "graph/cost_basis.h"

#include <string>

namespace stagecraft {

// The first lines of an answer; empty if every operator has a cost and none is quantised.
[[nodiscard]] std::string costLines(const CostBasis &basis);

// "412.3 us", or "at least 412.3 us" if operators have no cost.
[[nodiscard]] std::string plainLatency(double latencyUs, const CostBasis &basis);
// For a stage of a measured schedule, whose costs may be complete even if those of the schedule are not.
[[nodiscard]] std::string stageLatencyText(const Graph &graph, const TimedSchedule &schedule, std::size_t stage);

// "speedup", or "speedup of the costed part".
[[nodiscard]] std::string speedupTitle(const CostBasis &basis);

} // namespace stagecraft
