#pragma once

// A schedule file checked: whether it is legal, and whether the memory that is planned for it is safe.

#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "support/result.h"

#include <stop_token>
#include <string>

namespace stagecraft {

// Errors: InvalidInput, naming the place: the text is no schedule of the model; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyScheduleFile(const std::string &text, const Model &model,
                                                      const std::stop_token &stop);

} // namespace stagecraft
