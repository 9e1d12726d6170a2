#pragma once

// A schedule checked: whether it is legal, and whether the memory that is planned for it is safe.

#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <stop_token>
#include <string>

namespace stagecraft {

// Errors: InvalidInput, it is too large; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyPlannedSchedule(const TimedSchedule &schedule, const Model &model,
                                                         const std::stop_token &stop);

// Errors: those, InvalidInput, naming the place: the text is no schedule of the model; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyScheduleFile(const std::string &text, const Model &model,
                                                      const std::stop_token &stop);

} // namespace stagecraft
