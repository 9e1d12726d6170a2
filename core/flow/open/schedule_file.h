#pragma once

// Schedules in files: those of this program (results/files/schedule_json.h) and of the public IOS project
// (flow/open/ios_schedule.h), told apart by content.

#include "model/model.h"
#include "model/source_graph.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <optional>
#include <string>

namespace stagecraft {

// For the model as it is open, verified; of several models as one with the blocks that its stages have, since stages
// over several models cross those of the models. Errors do not name the file.
[[nodiscard]] Result<TimedSchedule> scheduleFromFile(const std::string &text, const Model &model);
// The same, and several models as one get the blocks of the schedule.
[[nodiscard]] Result<TimedSchedule> scheduleAndBlocksFromFile(const std::string &text, Model &model);

// The schedule that is part of the model's file, if there is one. The model gets blocks that it keeps to; where it
// cannot be used, a note that says why.
[[nodiscard]] std::optional<TimedSchedule> embeddedSchedule(const SourceGraph &source, Model &model);

} // namespace stagecraft
