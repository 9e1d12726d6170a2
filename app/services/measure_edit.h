#pragma once

// An edited schedule beside the one it was made of, on a device: only stages that changed are measured, and both
// schedules in one go.

#include "device/device.h"
#include "model/model.h"
#include "schedule/schedule.h"
#include "services/interleaved_timing.h"
#include "support/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct MeasuredEdit {
    Schedule edited;                      // with latencies
    std::vector<std::size_t> measured;    // of its stages; the others have the latencies of the original
    std::vector<InterleavedTiming> times; // of the original, then of the edited one
    int rounds = 0;                       // in which both were timed; 0: the latencies are exact, or were timed once
    bool areComparable = true;            // a sum of stages and a schedule timed in one go are not
};

// `original`: as it was read, with the device and batch that it was made for; its latencies count where those are the
// same. `rounds`: of a measured device; 0: each schedule is timed once. Errors: the session's.
[[nodiscard]] Result<MeasuredEdit> measureEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                               const Schedule &original, Schedule edited, int rounds,
                                               const std::stop_token &stop);

// Stage by stage into `edited`, but for those that `known` has latencies of. `told`: after every stage that is timed.
// Which stages were timed. Errors: the session's.
[[nodiscard]] Result<std::vector<std::size_t>> timeStages(Schedule &edited, const Schedule &known,
                                                          DeviceSession &session, const std::stop_token &stop,
                                                          const std::function<void(std::size_t stage)> &told);

// The latencies of the stages of a schedule are those that the device would be asked for on this model.
[[nodiscard]] bool hasLatenciesOf(const Schedule &schedule, const Model &model, const DeviceInfo &device);

} // namespace stagecraft
