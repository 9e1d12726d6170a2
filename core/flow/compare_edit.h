#pragma once

// Compares an edited schedule with its original on a device: only stages whose latencies are not known are measured,
// and whole schedules in one go.

#include "device/device.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct EditToCompare {
    TimedSchedule edited;
    TimedSchedule known;               // stages whose latencies are known
    std::vector<TimedSchedule> beside; // timed as a whole, too: the original, then others
    int rounds = 0;                    // on a measuring device; 0: each schedule is timed once
};

struct EditOutcome {
    TimedSchedule edited;              // with latencies
    std::vector<std::size_t> measured; // indices of its stages; the latencies of the others were known
    std::vector<TimingInRounds> times; // of the original, then of the edited one, then of the others beside it
    int rounds = 0;            // rounds in which they were timed; 0: the latencies are exact, or were timed once
    bool areComparable = true; // a sum of stages and a schedule timed in one go are not
};

// After every stage that is timed.
using StageTold = std::function<void(const Stage &stage, const Timing &timing)>;

// Errors: the session's.
[[nodiscard]] Result<EditOutcome> compareEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                              EditToCompare edit, const std::stop_token &stop,
                                              const StageTold &told = {});

// Whether the schedule's stage latencies are those that the device would give on this model, in the layouts that
// it chooses, as it runs an edit.
[[nodiscard]] bool hasLatenciesOf(const TimedSchedule &schedule, const Model &model, const DeviceInfo &device);

} // namespace stagecraft
