#pragma once

// What else the operators of a stage could be together.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <vector>

namespace stagecraft {

// The legal stages of the same operators with another strategy: concurrent, merged, fused, in this order. None of a
// single operator.
[[nodiscard]] std::vector<Stage> otherStrategies(const Graph &graph, const Stage &stage);

} // namespace stagecraft
