#pragma once

// A program checked, as a verified plan.

#include "flow/verify/verified_plan.h"
#include "plan/launched_program.h"
#include "support/result.h"

#include <stop_token>

namespace stagecraft {

// Its counts and faults; `kind` and buffers are the caller's. Errors: InvalidInput, it is too large; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyProgram(const plan::LaunchedProgram &program,
                                                 const std::stop_token &stop = {});

} // namespace stagecraft
