#pragma once

// A schedule with the latencies of a device.

#include "device/device.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"

#include <stop_token>

namespace stagecraft {

// Measures by stage and as a whole. Sets stageTimings and timing, device, calibration, precision, provenance and what
// the latencies omit.
[[nodiscard]] Result<void> measureInto(TimedSchedule &schedule, const Model &model, DeviceSession &session,
                                       const DeviceInfo &device, std::stop_token stop);

// Sets what the device's latencies are: device, calibration, error, provenance, precision and what they omit.
void describeDevice(TimedSchedule &schedule, const Model &model, const DeviceInfo &device);

// The costs behind the model's latencies on the device: those of the model if the latencies are simulated, now or when
// they were recorded. Real runs omit nothing.
[[nodiscard]] CostBasis latencyBasis(const Model &model, const DeviceInfo &device);

} // namespace stagecraft
