#pragma once

// Schedules of one model compared on a device: in rounds where latencies carry noise, as they are where they are exact.

#include "measure/rounds.h"
#include "search/result.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagecraft {

// A schedule of the same model on another device.
struct BesideInRounds {
    Schedule schedule;
    DeviceSession &session;
};

struct Comparison {
    std::vector<TimingInRounds> times;
    std::optional<TimingInRounds> beside; // only if there were rounds
    int rounds = 0;                       // 0: the latencies are from when the schedules were found
    std::vector<std::size_t> standing;    // by schedule: the one that stands there now, itself or a baseline
};

// The leading `baselines` may replace those that were searched for (keepFasterBaselines). In 0 rounds, stopped
// before the last one, or beside a profile that another program recorded: their latencies as they are, without verdict.
// `beside` is timed in the same rounds. Errors: the sessions'.
[[nodiscard]] Result<Comparison> compareInRounds(std::vector<FoundSchedule> &all, std::size_t baselines,
                                                 DeviceSession &session, int rounds, const std::stop_token &stop,
                                                 const BesideInRounds *beside = nullptr);

} // namespace stagecraft
