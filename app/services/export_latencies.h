#pragma once

// The kept latencies of a model as a recording that can stand in for the device: every stage of the model that has a
// latency, under the names of each place where it occurs. The store alone knows the names a stage was asked for by;
// equal stages (schedule/stage_signature.h) were never asked for.

#include "device/latency_store.h"
#include "model/model.h"

namespace stagecraft {

// Of the model at the context's batch. Stages of another version of it are left out. Stages are those of sequential
// and greedy schedules and of searches with the r and s of the stages that were asked for.
[[nodiscard]] Result<RecordedLatencies> exportLatencies(LatencyStore &store, const MeasurementContext &context,
                                                        const Model &model);

} // namespace stagecraft
