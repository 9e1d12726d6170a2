#pragma once

// Timing in rounds (timing/statistics/rounds.h) on a device. Every other round runs backwards (A B B A), so that none
// is always first.

#include "device/device.h"
#include "schedule/schedule.h"
#include "timing/statistics/rounds.h"

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct RoundsProgress {
    int done = 0;
    int rounds = 0;
    double secondsLeft = 0; // at the pace so far; 0 before the first round is done
};
using RoundsCallback = std::function<void(const RoundsProgress &)>; // called before each round

// `count` of anything that can be timed.
[[nodiscard]] Result<std::vector<TimingInRounds>>
measureInRounds(std::size_t count, const std::function<Result<ScheduleLatency>(std::size_t which)> &measure, int rounds,
                const RoundsCallback &onProgress = {});

// Schedules of one model, each in one go. Errors: the session's; Cancelled if a stop is requested before the last round
// is done.
[[nodiscard]] Result<std::vector<TimingInRounds>> measureSchedulesInRounds(std::span<const Schedule> schedules,
                                                                           DeviceSession &session, int rounds,
                                                                           const std::stop_token &stop,
                                                                           const RoundsCallback &onProgress = {});

} // namespace stagecraft
