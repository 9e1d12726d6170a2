#pragma once

// A schedule as the stages of an ONNX file (model/onnx_export.h): nodes in the order of the graph that state their
// stage and group, or their launch, its stream and the launches it waits for, merged operators as one in
// the place of the first, and the schedule itself.

#include "graph/graph.h"
#include "model/onnx_export.h"
#include "schedule/timed_schedule.h"

namespace stagecraft {

// The schedule is verified (schedule/verify.h). Everything is numbered from 1.
[[nodiscard]] OnnxStages onnxStages(const Graph &graph, const TimedSchedule &schedule);

} // namespace stagecraft
