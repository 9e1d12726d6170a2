#include "results/pooled_latency.h"

#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

// The weight of a measurement: its runs, or 1 if they are unknown.
double weight(const ResultMeasurement &measurement)
{
    return std::max(1, measurement.timing.runs);
}

bool isDisturbed(const ResultMeasurement &measurement)
{
    return measurement.how != MeasuredHow::InRounds && measurement.timing.isDisturbed();
}

// Treats the runs of all measurements as one sample.
double halfWidth(std::span<const ResultMeasurement> measurements, double meanUs)
{
    double squares = 0;
    double runs = 0;
    for (const ResultMeasurement &one : measurements) {
        const double apartUs = one.timing.latencyUs - meanUs;
        squares += (weight(one) - 1) * one.timing.stddevUs * one.timing.stddevUs + weight(one) * apartUs * apartUs;
        runs += weight(one);
    }
    if (runs < 2 || squares <= 0)
        return 0;
    const double variance = squares / (runs - 1);
    return studentsT(static_cast<std::size_t>(runs) - 1) * std::sqrt(variance / runs);
}

} // namespace

std::optional<PooledLatency> pooled(std::span<const ResultMeasurement> measurements, MeasuredHow how)
{
    std::vector<ResultMeasurement> counted;
    const auto take = [&](bool disturbed) {
        std::ranges::copy_if(measurements, std::back_inserter(counted), [&](const ResultMeasurement &one) {
            return one.how == how && isDisturbed(one) == disturbed;
        });
    };
    take(false);
    const bool onlyDisturbed = counted.empty();
    if (onlyDisturbed)
        take(true);
    if (counted.empty())
        return std::nullopt;
    PooledLatency latency;
    double weights = 0;
    for (const ResultMeasurement &one : counted) {
        latency.us += weight(one) * one.timing.latencyUs;
        weights += weight(one);
        latency.runs += one.timing.runs;
    }
    const double firstUs = counted.front().timing.latencyUs;
    latency.us = std::ranges::all_of(counted, [&](const auto &one) { return one.timing.latencyUs == firstUs; })
                     ? firstUs // exact to the last digit
                     : latency.us / weights;
    latency.halfWidthUs = halfWidth(counted, latency.us);
    latency.measurements = static_cast<int>(counted.size());
    latency.how = how;
    latency.provenance = counted.back().provenance;
    latency.isDisturbed = onlyDisturbed;
    return latency;
}

std::optional<PooledLatency> pooled(std::span<const ResultMeasurement> measurements)
{
    for (const MeasuredHow how : {MeasuredHow::InRounds, MeasuredHow::Alone, MeasuredHow::SumOfStages}) {
        if (auto latency = pooled(measurements, how))
            return latency;
    }
    return std::nullopt;
}

std::optional<ResultMeasurement> measurementOf(const Schedule &schedule, std::int64_t atSeconds)
{
    if (!schedule.timing || !schedule.provenance)
        return std::nullopt;
    ResultMeasurement measurement;
    measurement.how = schedule.isSumOfStages ? MeasuredHow::SumOfStages : MeasuredHow::Alone;
    measurement.timing = *schedule.timing;
    measurement.provenance = *schedule.provenance;
    measurement.atSeconds = atSeconds;
    return measurement;
}

std::shared_ptr<const Schedule> withLatency(const ScheduleResult &result, const PooledLatency &latency)
{
    const bool isSum = latency.how == MeasuredHow::SumOfStages;
    if (result.schedule->latencyUs() == latency.us && result.schedule->isSumOfStages == isSum)
        return result.schedule;
    auto copy = std::make_shared<Schedule>(*result.schedule);
    ClockRates clocks = copy->timing ? copy->timing->clocks : ClockRates{};
    copy->timing = Timing{latency.us, latency.us, 0, 0, std::move(clocks)};
    copy->isSumOfStages = isSum;
    return copy;
}

} // namespace stagecraft
