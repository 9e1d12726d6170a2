#pragma once

// A schedule as a picture whose text stays text (export/schedule_drawing.h).

#include "export/schedule_tables.h"
#include "graph/graph.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string scheduleSvg(const Graph &graph, const NamedSchedule &named, bool dark = false);

} // namespace stagecraft
