#pragma once

// A found schedule against the baselines, on a device whose latencies carry noise.

#include "device/device.h"
#include "flow/find/found_schedule.h"
#include "measure/rounds.h"
#include "model/model.h"

#include <functional>
#include <stop_token>

namespace stagecraft {

using BaselineLeftOut = std::function<void(ScheduleKind kind, const Error &why)>;

// Times `found` and the baselines in rounds; a baseline that is faster replaces it. Stopped before the last round: it
// stays as it is. Errors: the session's.
[[nodiscard]] Result<void> compareWithBaselines(FoundSchedule &found, const Model &model, DeviceSession &session,
                                                const DeviceInfo &device, int rounds, const BaselineLeftOut &leftOut,
                                                const RoundsCallback &onProgress, const std::stop_token &stop);

// The sequential or the greedy schedule of a model, with the latencies of a device. Errors: the session's.
[[nodiscard]] Result<FoundSchedule> measuredBaseline(ScheduleKind kind, const Model &model, DeviceSession &session,
                                                     const DeviceInfo &device, const std::stop_token &stop);

} // namespace stagecraft
