#pragma once

// How commands say what their numbers leave out (graph/cost_basis.h): first, before any number, and with every number.

#include "cli/command_line.h"
#include "graph/cost_basis.h"

#include <string>

namespace stagecraft {

// The first lines of an answer; empty where every operator has a cost and none is quantised.
[[nodiscard]] std::string costLines(const CostBasis &basis);

// "412.3 us", or "at least 412.3 us" where operators have no cost.
[[nodiscard]] std::string plainLatency(double latencyUs, const CostBasis &basis);
// Of a stage of a measured schedule, which may have all its costs where the whole has not.
[[nodiscard]] std::string stageLatencyText(const Graph &graph, const Schedule &schedule, std::size_t stage);

// "speedup", or the part of the work it is about.
[[nodiscard]] std::string speedupTitle(const CostBasis &basis);

// operators, costed_operators, uncosted[], precision, quantized_conversions.
void addCostKeys(Json &document, const CostBasis &basis);
// The same for an answer with latencies: latency_is_lower_bound, too.
void addLatencyBasis(Json &document, const CostBasis &basis);

} // namespace stagecraft
