#pragma once

// A schedule as a picture whose text stays text (export/schedule_drawing.h).

#include "graph/graph.h"
#include "results/rated_result.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string scheduleSvg(const Graph &graph, const RatedResult &result, bool dark = false);

} // namespace stagecraft
