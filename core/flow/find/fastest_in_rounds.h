#pragma once

// The fastest of many schedules on a device whose latencies carry noise, where one timing of each says little.

#include "device/device.h"
#include "schedule/schedule.h"
#include "support/result.h"
#include "timing/timing.h"

#include <cstddef>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft {

struct CandidateInRounds {
    Schedule schedule;
    Timing timing; // as it was timed before
};

// Its place among `candidates`, of which there is at least one, and its latency in the last rounds: all are timed in a
// few rounds, then the fastest in more (successive halving; Jamieson and Talwalkar 2016), in some seconds. By the
// timings so far if a stop is requested. Errors: those of the session.
[[nodiscard]] Result<std::pair<std::size_t, Timing>>
fastestInRounds(std::vector<CandidateInRounds> candidates, DeviceSession &session, const std::stop_token &stop);

} // namespace stagecraft
