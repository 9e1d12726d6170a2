#pragma once

// The schedule that Rammer's policy makes (Ma et al., OSDI 2020; schedule/rtasks/wavefront.h): a baseline beside
// Greedy.

#include "device/device.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"

#include <stop_token>

namespace stagecraft {

// Each block as one fused stage, or its operators one by one where that is not slower, or where there is only one.
// Errors: those of the session, WrongUse of a device that has no fused stages.
[[nodiscard]] Result<TimedSchedule> wavefrontSchedule(const Model &model, DeviceSession &session, std::stop_token stop);

} // namespace stagecraft
