#pragma once

// The timeline of a result that is exported.

#include "device/device.h"
#include "model/model.h"
#include "results/rated_result.h"
#include "support/result.h"

#include <stop_token>

namespace stagecraft {

// Of a profile from its files, else on a device, whose session then is not null. The result has a schedule. Where it
// fails, the result says why, too.
[[nodiscard]] Result<void> addTimeline(RatedResult &result, const Model &model, DeviceSession *session,
                                       const std::stop_token &stop);

} // namespace stagecraft
