#pragma once

// Repeats a timing until it is known well enough. Samples far above the median are taken for interference by other
// programs: they are set aside and measured again, a bounded number of times. What remains is summed up as a
// timing; its mean's relative 95 % confidence interval is below the bound unless the budget ended first. Where clocks
// can be read, the timing has the middle one of those read before, between and after the timings, never during one.

#include "support/result.h"
#include "support/timing.h"

#include <chrono>
#include <functional>
#include <stop_token>

namespace stagecraft {

struct MeasurementOptions {
    int warmup = 3;                       // calls before the first sample
    int minRepeat = 7;                    // samples at least
    int maxRepeat = 400;                  // samples at most
    double minSampleUs = 40;              // `number` calls make a sample at least this long
    double relativeInterval = 0.02;       // half width of the mean's 95 % interval, by the mean
    std::chrono::milliseconds budget{60}; // warm-up included; at least minRepeat samples are taken nevertheless
    std::function<ClockRates()> clocks{}; // those of now; empty: not known
};

// `runs(n)` runs n times and returns what that took in microseconds. Errors: its own; Cancelled within one sample.
[[nodiscard]] Result<Timing> measureAdaptively(const std::function<Result<double>(int)> &runs,
                                               const MeasurementOptions &options, std::stop_token stop);

} // namespace stagecraft
