#pragma once

// The answer of "timeline", as JSON and for people.

#include "cli/command_line.h"
#include "graph/cost_basis.h"
#include "model/model.h"
#include "timing/timeline/timeline.h"

#include <string>

namespace stagecraft {

[[nodiscard]] Json timelineJson(const Graph &graph, const Timeline &timeline);
// `schedule`: as it was named.
void printTimeline(const Model &model, const Timeline &timeline, const std::string &schedule, const CostBasis &basis,
                   bool kernels, bool stages);

} // namespace stagecraft
