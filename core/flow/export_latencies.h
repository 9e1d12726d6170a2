#pragma once

// The stored latencies of a model as a recording that can replace the device: every stage of the model with a latency,
// under the names of each place where it occurs. The store only knows the names under which a stage was asked for;
// equal stages (schedule/stage_signature.h) were never asked for.

#include "measure/store/latency_store.h"
#include "model/model.h"

namespace stagecraft {

// For the model at the context's batch. Stages of another version of the model are left out. Includes the stages of
// sequential and greedy schedules, and of searches with the r and s of the stages that were asked for.
[[nodiscard]] Result<RecordedLatencies> exportLatencies(LatencyStore &store, const MeasurementContext &context,
                                                        const Model &model);

} // namespace stagecraft
