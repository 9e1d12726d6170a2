#pragma once

// Schedules of one model, each in one go, timed one after the other and round by round: what drifts (other programs,
// clocks, heat) drifts for all. On a device that is measured this is how schedules are compared; latencies taken
// minutes apart are not.

#include "device/device.h"
#include "schedule/schedule.h"

#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

inline constexpr int kRoundsInTurn = 5; // unless a person says otherwise

struct InTurn {
    double latencyUs = 0; // median of the rounds
    double speedup = 1;   // against the first schedule: geometric mean of the rounds' ratios
    double low = 1;       // its 95 % confidence interval; infinitely wide for a single round
    double high = 1;
};

// From latencies by round, then by schedule; at least one round of at least one schedule.
[[nodiscard]] std::vector<InTurn> comparedInTurn(const std::vector<std::vector<double>> &roundsUs);

// Errors: the session's; Cancelled if a stop is requested before the last round is done.
[[nodiscard]] Result<std::vector<InTurn>> measureInTurn(std::span<const Schedule> schedules, DeviceSession &session,
                                                        int rounds, const std::stop_token &stop);

} // namespace stagecraft
