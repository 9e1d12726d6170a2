#pragma once

// A program checked, as a verified plan.

#include "flow/verify/verified_plan.h"
#include "plan/launched_program.h"
#include "support/result.h"

namespace stagecraft {

// Its counts and faults; `kind` and buffers are the caller's. Errors: InvalidInput, too many launches.
[[nodiscard]] Result<VerifiedPlan> verifyProgram(const plan::LaunchedProgram &program);

} // namespace stagecraft
