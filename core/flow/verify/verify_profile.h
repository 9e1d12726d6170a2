#pragma once

// A profile that another program recorded, checked: whether in each run operators began after what they read had ended,
// or on the same stream after it began.

#include "device/recorded/profiles/profile_reader.h"
#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "support/result.h"

#include <stop_token>

namespace stagecraft {

// Errors: InvalidInput, naming the file: it is damaged, its kernels have no starts, or none of them is known;
// Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyProfile(ProfileFile file, const Model &model, const std::stop_token &stop);

} // namespace stagecraft
