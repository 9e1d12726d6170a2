#pragma once

// A stage in one line.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// groupsText() is unescaped; stageText() is for display and escapes characters that could disturb a terminal.
[[nodiscard]] std::string groupsText(const Graph &graph, const Stage &stage); // "conv1, conv2 | conv3"
[[nodiscard]] std::string stageText(const Graph &graph, const Stage &stage);  // "merge conv1 | conv2"
// "conv1, conv3, conv2", unescaped; empty where the stage states no launch order.
[[nodiscard]] std::string launchOrderText(const Graph &graph, const Stage &stage);

} // namespace stagecraft
