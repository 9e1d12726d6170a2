#pragma once

// A found schedule against the baselines, on a device whose latencies carry noise.

#include "device/device.h"
#include "flow/find/schedule_kind.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "search/result.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagecraft {

// The found schedule and the baselines, timed again in rounds: the least of many noisy latencies is too good.
struct BaselinesInRounds {
    std::vector<ScheduleKind> baselines; // those that could be measured
    std::vector<TimingInRounds> times;   // of the baselines, then of the found schedule
    int rounds = 0;
    std::optional<ScheduleKind> kept; // the baseline that is faster than the found schedule, and replaces it
};

using BaselineLeftOut = std::function<void(ScheduleKind kind, const Error &why)>;

// Times `found` and the baselines in rounds; a baseline that is faster replaces it. Where latencies are exact, in 0
// rounds, or stopped before the last one, it stays as it is, and the answer is empty. Errors: the session's.
[[nodiscard]] Result<std::optional<BaselinesInRounds>>
compareWithBaselines(FoundSchedule &found, const Model &model, DeviceSession &session, const DeviceInfo &device,
                     int rounds, const BaselineLeftOut &leftOut, const RoundsCallback &onProgress,
                     const std::stop_token &stop);

// The sequential or the greedy schedule of a model, with the latencies of a device. Errors: the session's.
[[nodiscard]] Result<FoundSchedule> measuredBaseline(ScheduleKind kind, const Model &model, DeviceSession &session,
                                                     const DeviceInfo &device, const std::stop_token &stop);

} // namespace stagecraft
