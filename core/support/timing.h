#pragma once

// A latency and how it was timed: what a device answers, a schedule holds, a recording and the latency store keep. One
// value everywhere; each format has one codec for it: schedule/timing_json.h (schedule files, recordings, answers),
// device/worker_protocol/messages.h, device/latency_rows.h (the store).

#include "support/clock_rates.h"

namespace stagecraft {

inline constexpr double kSpreadOfDisturbed = 0.1; // of the mean

struct Timing {
    // What counts, in microseconds: the median of the runs, as bursts of other programs move the mean; of schedules
    // timed in turn the geometric mean of the rounds; else what was simulated, recorded or added up.
    double latencyUs = 0;
    double meanUs = 0;   // the latency where nothing else is known
    double stddevUs = 0; // standard deviation of the runs; 0 where it is not known
    int runs = 0;        // that mean and spread are of, more than one; 0: not known, as of a single run
    ClockRates clocks{};

    // Of which nothing but the latency is known.
    [[nodiscard]] static Timing ofLatency(double us) { return {us, us}; }

    [[nodiscard]] bool hasSpread() const { return runs > 1; }
    // More is known than the latency.
    [[nodiscard]] bool isDetailed() const { return hasSpread() || clocks.isKnown(); }
    // So wide a spread is not the device's own: something else was at work beside it.
    [[nodiscard]] bool isSpread() const { return hasSpread() && stddevUs > kSpreadOfDisturbed * meanUs; }
    // Nor is what it takes with its clocks held down. What is disturbed is timed again before it decides anything.
    [[nodiscard]] bool isDisturbed() const { return isSpread() || (hasSpread() && !clocks.slowedBy.empty()); }

    friend bool operator==(const Timing &, const Timing &) = default;
};

} // namespace stagecraft
