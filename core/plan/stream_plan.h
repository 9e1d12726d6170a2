#pragma once

// The plan of a stream schedule: each launch is a stage of its own, in launch order, but launches may run side by side,
// so buffers are shared by the order of streams and events alone.

#include "plan/plan.h"

namespace stagecraft::plan {

// The streams passed schedule/streams/verify_streams.h. Errors name the operator.
[[nodiscard]] Result<Plan> planStreams(const Graph &graph, const TensorPlan &tensors, const Streams &streams,
                                       const Capability &capability);

} // namespace stagecraft::plan
