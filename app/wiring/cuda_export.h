#pragma once

// What an export for CUDA refuses, found without a GPU: the schedule is planned as gpu:0 would plan it.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

namespace stagecraft {

// ExportTools::checkOnCuda. Errors name the operator.
[[nodiscard]] Result<void> checkOnCuda(const Graph &graph, const Schedule &schedule);

} // namespace stagecraft
