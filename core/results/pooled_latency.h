#pragma once

// The latency of a result, from all measurements of its schedule.
//
// Rounds with other schedules are better than runs of its own, and both are better than a sum of stages; only the best
// kind there is counts. Disturbed runs only count if there are no others; drift affects all schedules of a round alike,
// so rounds are never called disturbed. The latency is the mean of the measurements, weighted by runs; the spread is
// that of all runs together, so measurements that disagree widen the interval.

#include "results/schedule_result.h"

#include <optional>
#include <span>

namespace stagecraft {

struct PooledLatency {
    double us = 0;
    double halfWidthUs = 0; // of the 95 % interval of the mean; 0: exact, or the spread is unknown
    int runs = 0;           // 0: unknown
    int measurements = 0;   // measurements that count
    MeasuredHow how = MeasuredHow::Alone;
    Provenance provenance = Provenance::Simulated;
    bool isDisturbed = false;

    friend bool operator==(const PooledLatency &, const PooledLatency &) = default;
};

// Empty without measurements.
[[nodiscard]] std::optional<PooledLatency> pooled(std::span<const Measurement> measurements);
[[nodiscard]] std::optional<PooledLatency> pooled(std::span<const Measurement> measurements, MeasuredHow how);

// The result's schedule, which it has, with this latency instead of its own.
[[nodiscard]] std::shared_ptr<const TimedSchedule> withLatency(const ScheduleResult &result,
                                                               const PooledLatency &latency);

// The latency of a schedule as a measurement; empty if it was never measured.
[[nodiscard]] std::optional<Measurement> measurementOf(const TimedSchedule &schedule, std::int64_t atSeconds);

} // namespace stagecraft
