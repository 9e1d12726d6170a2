#pragma once

// A model on a device, the basis of each measurement.

#include "model/model.h"
#include "schedule/timed_schedule.h"

#include <memory>
#include <string>

namespace stagecraft {

using ModelPtr = std::shared_ptr<const Model>;
using SchedulePtr = std::shared_ptr<const TimedSchedule>;

struct Target {
    ModelPtr model;
    std::string deviceId;
};

} // namespace stagecraft
