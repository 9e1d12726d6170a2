#pragma once

// A stage as commands print it: "conv1, conv2 | conv3", "merge conv1 | conv2".

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string stageText(const Graph &graph, const Stage &stage);

} // namespace stagecraft
