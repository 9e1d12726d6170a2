#pragma once

// A recorded device: latencies measured on another device or another day, replayed to the last digit. Stages are looked
// up by the names of their operators, with groups and operators in any order. A stage the file does not have is refused
// by name (DeviceFailed); a search goes on without it. So is one that the device refused, with its reason. A whole
// schedule has its recorded latency, or else the sum of its stages, marked as such (ScheduleLatency::how). Timelines
// only show the stages, and nothing is executed.

#include "device/device.h"
#include "device/recorded/recorded_latencies.h"

#include <memory>
#include <string>

namespace stagecraft {

// Errors: InvalidInput, with file and line. The id becomes "rec:" and the path.
[[nodiscard]] Result<std::unique_ptr<Device>> openRecordedDevice(const std::string &path);

// Makes one from latencies in memory.
[[nodiscard]] std::unique_ptr<Device> makeRecordedDevice(std::string id, RecordedLatencies latencies);

} // namespace stagecraft
