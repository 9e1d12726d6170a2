#pragma once

// Numbers on the nodes of a model for Model Explorer: its node data JSON, by the tensors that nodes make, so that they
// fit the model's own file and one that was written from it. Source: model_explorer/node_data_builder.py.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/timeline.h"

#include <string>

namespace stagecraft {

// The stage of each operator, or its stream, from 1, with the colour that it has in pictures.
[[nodiscard]] std::string scheduleNodeData(const Graph &graph, const Schedule &schedule, bool isDark = false);

// How long the kernels of each operator ran, in microseconds, from light to dark. One kernel of several operators
// counts for its first; operators without kernels are left out.
[[nodiscard]] std::string timelineNodeData(const Graph &graph, const Timeline &timeline);

} // namespace stagecraft
