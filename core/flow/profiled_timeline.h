#pragma once

// When the kernels of an imported profile ran, on the streams that it names, and what of it is mapped to nothing.

#include "device/device.h"
#include "flow/import_profile.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"
#include "timing/timeline/timeline.h"

#include <stop_token>

namespace stagecraft {

// Of the run with the median latency. `schedule`: that of the profile (flow/profiled_schedule.h). Kernels of one stream
// that overlap, as those of a CUDA graph do, get rows of their own. Layers, which have no start, are on one row, one
// after the other.
[[nodiscard]] Timeline profiledTimeline(const Model &model, const ImportedProfile &imported,
                                        const TimedSchedule &schedule);

// Reads the files of a schedule's profile again. Errors: InvalidInput, naming a file that is gone, has changed or is
// refused; Cancelled.
[[nodiscard]] Result<Timeline> timelineOfProfile(const Model &model, const TimedSchedule &schedule,
                                                 const std::stop_token &stop);

// Of a profile from its files, else on a device, whose session then is not null.
[[nodiscard]] Result<Timeline> timelineOfResult(const Model &model, const TimedSchedule &schedule,
                                                DeviceSession *session, const std::stop_token &stop);

} // namespace stagecraft
