#pragma once

// An imported profile as a schedule: the one that was observed, with the latencies that were recorded.

#include "flow/import_profile.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

namespace stagecraft {

// Legal, with provenance recorded, on the device that the profile names (device/recorded/profile_device.h). A stage
// takes the time in which at least one of its kernels ran, in the run with the median latency; the whole what passed
// from end to end: what is mapped to nothing is a part of what lies between stages, and in measured.profile. Where the
// files have no latency of the whole, it is the sum of all layers, as SumOfStages.
// Errors: InvalidInput, naming the file: it has no kernels.
[[nodiscard]] Result<TimedSchedule> profiledSchedule(const Model &model, const ImportedProfile &imported);

// Empty: some of its time was mapped, or there is none.
[[nodiscard]] std::string unmappedWarning(const ImportedProfile &imported, const std::string &modelName);

} // namespace stagecraft
