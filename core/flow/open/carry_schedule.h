#pragma once

// A schedule of a model, for the same model read otherwise.

#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

namespace stagecraft {

// Further operators may be split: it then runs their parts side by side, without latencies. Blocks may be others: it
// keeps its latencies where its stages stay in order. Refuses, naming the operator or the stage: as splitOperators,
// splitStages and movedToBlocks; units, sizes or splits that are others.
[[nodiscard]] Result<TimedSchedule> carrySchedule(const Model &before, const TimedSchedule &schedule,
                                                  const Model &after);

} // namespace stagecraft
