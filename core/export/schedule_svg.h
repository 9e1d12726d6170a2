#pragma once

// A schedule as a picture: stages down the page, groups side by side, merged operators in one framed box, the latency
// of a stage as a bar. Text stays text.

#include "export/schedule_tables.h"
#include "graph/graph.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string scheduleSvg(const Graph &graph, const NamedSchedule &named, bool dark = false);

} // namespace stagecraft
