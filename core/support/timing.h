#pragma once

// What is known of a measured latency beside its median: how the timings it was taken from were spread, how many runs
// they were of, and the clocks meanwhile. Unknown of what was simulated or added up.

#include "support/clock_rates.h"

namespace stagecraft {

struct Timing {
    double meanUs = 0;
    double stddevUs = 0; // standard deviation of the timings
    int runs = 0;        // 0: not known, nor are mean and spread
    ClockRates clocks;

    // So wide a spread is not the device's own: something else was at work beside it.
    [[nodiscard]] bool isDisturbed() const { return runs > 0 && stddevUs > 0.1 * meanUs; }
    [[nodiscard]] bool isKnown() const { return runs > 0 || clocks.isKnown(); }

    friend bool operator==(const Timing &, const Timing &) = default;
};

} // namespace stagecraft
