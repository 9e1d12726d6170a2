#pragma once

// The parts of schedule files (results/files/schedule_json.h), for formats that contain schedules or parts of them.
// Only for sources that include nlohmann's JSON themselves. Errors: InvalidInput, naming the place.

#include "graph/operator_names.h"
#include "results/files/schedule_record.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace stagecraft {

[[nodiscard]] nlohmann::ordered_json scheduleJson(const OperatorNames &names, const TimedSchedule &schedule);
[[nodiscard]] ScheduleInFile scheduleInFile(const OperatorNames &names, const TimedSchedule &schedule);
[[nodiscard]] NamedGroups namedGroups(const OperatorNames &names, const Stage &stage);
[[nodiscard]] NamedStage namedStage(const OperatorNames &names, const Stage &stage);

// Not verified yet (schedule/verify.h). `model`: the model that the names refer to.
[[nodiscard]] Result<TimedSchedule> scheduleFrom(const nlohmann::json &json, const OperatorNames &names,
                                                 const ModelReference &model);
[[nodiscard]] Result<SearchRecord> searchFrom(const nlohmann::json &json);
// The members "groups" and, if it is there, "launch_order" of an object; then the stage is in normal form.
[[nodiscard]] Result<void> readGroups(const nlohmann::json &object, const OperatorNames &names, Stage &stage);

} // namespace stagecraft
