#pragma once

// What is known of a measured latency beside its median: how the timings it was taken from were spread, how many runs
// they were of, and the clocks meanwhile. Unknown of what was simulated or added up.

#include "support/clock_rates.h"

namespace stagecraft {

inline constexpr double kSpreadOfDisturbed = 0.1; // of the mean

struct Timing {
    double meanUs = 0;
    double stddevUs = 0; // standard deviation of the timings
    int runs = 0;        // 0: not known, nor are mean and spread
    ClockRates clocks;

    // So wide a spread is not the device's own: something else was at work beside it.
    [[nodiscard]] bool isSpread() const { return runs > 0 && stddevUs > kSpreadOfDisturbed * meanUs; }
    // Nor is what it takes with its clocks held down. What is disturbed is timed again before it decides anything.
    [[nodiscard]] bool isDisturbed() const { return isSpread() || (runs > 0 && !clocks.slowedBy.empty()); }
    [[nodiscard]] bool isKnown() const { return runs > 0 || clocks.isKnown(); }

    friend bool operator==(const Timing &, const Timing &) = default;
};

} // namespace stagecraft
