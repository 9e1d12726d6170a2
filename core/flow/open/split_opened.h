#pragma once

// A model that was opened, with operators split into parts: its graph, blocks, reports and the schedule in its file.

#include "graph/model_reference.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <optional>
#include <set>
#include <string>

namespace stagecraft {

// `embedded`: the schedule in its file, which then runs the parts of an operator side by side, without latencies; a
// note says why, where it cannot. `byRows`: of `splits`, those by rows. Refuses as splitOperators.
[[nodiscard]] Result<void> splitOpened(Model &model, std::optional<TimedSchedule> &embedded,
                                       const OperatorSplits &splits, const std::set<std::string> &byRows = {});

// The same for a schedule of the model that a person edits; refuses what cannot be split there, too. The reading of the
// model has the splits then.
[[nodiscard]] Result<Schedule> splitInSchedule(Model &model, const Schedule &schedule, const OperatorSplits &splits,
                                               const std::set<std::string> &byRows = {});

} // namespace stagecraft
