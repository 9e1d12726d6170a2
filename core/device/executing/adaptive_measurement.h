#pragma once

// Repeats a timing until it is known well enough. Samples far above the median are taken for interference by other
// programs: they are set aside and measured again, a bounded number of times. The rest become one timing; the relative
// 95 % confidence interval of its mean is below the bound unless the budget ends first. If clocks can be read, the
// timing has the median of those read before, between and after the samples, never during one.

#include "support/result.h"
#include "timing/timing.h"

#include <chrono>
#include <functional>
#include <stop_token>

namespace stagecraft {

struct MeasurementOptions {
    int warmup = 3;                       // calls before the first sample
    int minRepeat = 7;                    // samples at least
    int maxRepeat = 400;                  // samples at most
    double minSampleUs = 40;              // `number` calls make a sample at least this long
    double relativeInterval = 0.02;       // half width of the mean's 95 % interval, relative to the mean
    std::chrono::milliseconds budget{60}; // warm-up included; at least minRepeat samples are taken nevertheless
    std::function<ClockRates()> clocks{}; // reads the current clocks; empty: unknown
};

// `runs(n)` runs n times and returns the total in microseconds. Errors: its own; Cancelled, within one sample.
[[nodiscard]] Result<Timing> measureAdaptively(const std::function<Result<double>(int)> &runs,
                                               const MeasurementOptions &options, std::stop_token stop);

} // namespace stagecraft
