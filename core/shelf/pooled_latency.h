#pragma once

// The one latency of a result, from every time its schedule was measured.
//
// Rounds with other schedules say more than runs of its own, and both more than a sum of stages, so only the best kind
// there is counts. Of runs, what was disturbed counts only where there is nothing else; what drifts from round to round
// drifts for all, so rounds are never called disturbed. Of several measurements the latency is their mean, weighted by
// runs, and the spread is that of all runs together, so that measurements that disagree widen the interval.

#include "shelf/schedule_result.h"

#include <optional>
#include <span>

namespace stagecraft {

struct PooledLatency {
    double us = 0;
    double halfWidthUs = 0; // of the 95 % interval of the mean; 0: exact, or nothing is known of the spread
    int runs = 0;           // 0: not known
    int measurements = 0;   // that count
    MeasuredHow how = MeasuredHow::Alone;
    Provenance provenance = Provenance::Simulated;
    bool isDisturbed = false;

    friend bool operator==(const PooledLatency &, const PooledLatency &) = default;
};

// None of no measurement.
[[nodiscard]] std::optional<PooledLatency> pooled(std::span<const ResultMeasurement> measurements);
[[nodiscard]] std::optional<PooledLatency> pooled(std::span<const ResultMeasurement> measurements, MeasuredHow how);

// What a latency of a schedule says of itself, as a measurement; none where it was never measured.
[[nodiscard]] std::optional<ResultMeasurement> measurementOf(const Schedule &schedule, std::int64_t atSeconds);

} // namespace stagecraft
