#pragma once

// Compares an edited schedule with its original on a device: only changed stages are measured, and both schedules in
// one go.

#include "device/device.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct EditOutcome {
    Schedule edited;                   // with latencies
    std::vector<std::size_t> measured; // indices of its stages; the others have the latencies of the original
    std::vector<TimingInRounds> times; // of the original, then of the edited one
    int rounds = 0;            // rounds in which both were timed; 0: the latencies are exact, or were timed once
    bool areComparable = true; // a sum of stages and a schedule timed in one go are not
};

// `original`: as it was read, with its device and batch; its latencies are used if those are the same. `rounds`: on a
// measuring device; 0: each schedule is timed once. Errors: the session's.
[[nodiscard]] Result<EditOutcome> compareEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                              const Schedule &original, Schedule edited, int rounds,
                                              const std::stop_token &stop);

// Times the stages of `edited` one by one, except for stages with a latency in `known`. `told`: called after every
// stage that is timed. Returns the stages that were timed. Errors: the session's.
[[nodiscard]] Result<std::vector<std::size_t>> timeStages(Schedule &edited, const Schedule &known,
                                                          DeviceSession &session, const std::stop_token &stop,
                                                          const std::function<void(std::size_t stage)> &told);

// Whether the schedule's stage latencies are those that the device would give on this model, in the layouts that
// it chooses, as it runs an edit.
[[nodiscard]] bool hasLatenciesOf(const Schedule &schedule, const Model &model, const DeviceInfo &device);

} // namespace stagecraft
