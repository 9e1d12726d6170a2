#pragma once

// A latency and how it was timed: the answer of a device, and what a schedule, a recording and the latency store hold.
// One type everywhere, with one codec per format: timing/timing_json.h (schedule files, recordings, answers),
// device/worker/protocol/messages.h, measure/store/latency_rows.h (the store).

#include "timing/clock_rates.h"

namespace stagecraft {

inline constexpr double kSpreadOfDisturbed = 0.1; // share of the mean

struct Timing {
    // The value that counts, in microseconds: the median of the runs, since bursts of other programs move the mean; for
    // schedules timed in rounds, the geometric mean of the rounds; otherwise the simulated, recorded or summed latency.
    double latencyUs = 0;
    double meanUs = 0;   // equal to the latency if nothing else is known
    double stddevUs = 0; // standard deviation of the runs; 0 if unknown
    int runs = 0;        // number of runs behind mean and spread, at least 2; 0: unknown, or a single run
    ClockRates clocks{};

    // Nothing but the latency is known.
    [[nodiscard]] static Timing ofLatency(double us) { return {us, us}; }

    [[nodiscard]] bool hasSpread() const { return runs > 1; }
    // Whether more than the latency is known.
    [[nodiscard]] bool isDetailed() const { return hasSpread() || clocks.isKnown(); }
    // So wide a spread is not the device's own: something else ran at the same time.
    [[nodiscard]] bool isSpread() const { return hasSpread() && stddevUs > kSpreadOfDisturbed * meanUs; }
    // Also disturbed if the clocks were held down. A disturbed stage is timed again before it decides anything.
    [[nodiscard]] bool isDisturbed() const { return isSpread() || (hasSpread() && !clocks.slowedBy.empty()); }

    friend bool operator==(const Timing &, const Timing &) = default;
};

} // namespace stagecraft
