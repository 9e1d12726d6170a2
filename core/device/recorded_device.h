#pragma once

// A recorded device: latencies that were measured elsewhere, or on another day, replayed to the last digit. Stages are
// looked up by the names of their operators, groups and operators in any order. A stage the file does not have is
// refused by name (DeviceFailed); a search goes on without it. A whole schedule has the latency it was recorded with,
// or else the sum of its stages, called so (ScheduleLatency::isSumOfStages). There is no timeline beyond the stages,
// and nothing is executed.

#include "device/device.h"
#include "device/recorded_latencies.h"

#include <memory>
#include <string>

namespace stagecraft {

// Errors: InvalidInput, with file and line. The id becomes "rec:" and the path.
[[nodiscard]] Result<std::unique_ptr<Device>> openRecordedDevice(const std::string &path);

// The same from latencies already in memory.
[[nodiscard]] std::unique_ptr<Device> makeRecordedDevice(std::string id, RecordedLatencies latencies);

} // namespace stagecraft
