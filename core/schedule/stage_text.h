#pragma once

// A stage in one line.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// As they are, and as they are shown: letters that would upset a terminal are escaped.
[[nodiscard]] std::string groupsText(const Graph &graph, const Stage &stage); // "conv1, conv2 | conv3"
[[nodiscard]] std::string stageText(const Graph &graph, const Stage &stage);  // "merge conv1 | conv2"

} // namespace stagecraft
