#pragma once

// The stages that a trace of this program states: of each its block, strategy and span, and of each kernel its stage
// and group. So a schedule comes back as it was, where what ran beside each other would only show most of it.

#include "flow/import_profile.h"
#include "flow/profiled_run.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "timing/timing.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct StatedStages {
    std::vector<Stage> stages; // still to be verified
    std::vector<Timing> timings;
};

// Empty: the profile states none, or not all of them. Fused stages have more to them than a trace says.
[[nodiscard]] std::optional<StatedStages> statedStages(const Graph &graph, const ImportedProfile &imported,
                                                       std::span<const SpanInRun> spans);

} // namespace stagecraft
