#include "results/pooled_latency.h"

#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

// The weight of a measurement: its runs, or 1 if they are unknown.
double weight(const Measurement &measurement)
{
    return std::max(1, measurement.whole->runs);
}

bool isDisturbed(const Measurement &measurement)
{
    return measurement.how != MeasuredHow::InRounds && measurement.whole->isDisturbed();
}

// Treats the runs of all measurements as one sample.
double halfWidth(std::span<const Measurement> measurements, double meanUs)
{
    double squares = 0;
    double runs = 0;
    for (const Measurement &one : measurements) {
        const double apartUs = one.whole->latencyUs - meanUs;
        squares += (weight(one) - 1) * one.whole->stddevUs * one.whole->stddevUs + weight(one) * apartUs * apartUs;
        runs += weight(one);
    }
    if (runs < 2 || squares <= 0)
        return 0;
    const double variance = squares / (runs - 1);
    return studentsT(static_cast<std::size_t>(runs) - 1) * std::sqrt(variance / runs);
}

} // namespace

std::optional<PooledLatency> pooled(std::span<const Measurement> measurements, MeasuredHow how)
{
    std::vector<Measurement> counted;
    const auto take = [&](bool disturbed) {
        std::ranges::copy_if(measurements, std::back_inserter(counted),
                             [&](const Measurement &one) { return one.how == how && isDisturbed(one) == disturbed; });
    };
    take(false);
    const bool onlyDisturbed = counted.empty();
    if (onlyDisturbed)
        take(true);
    if (counted.empty())
        return std::nullopt;
    PooledLatency latency;
    double weights = 0;
    for (const Measurement &one : counted) {
        latency.us += weight(one) * one.whole->latencyUs;
        weights += weight(one);
        latency.runs += one.whole->runs;
    }
    const double firstUs = counted.front().whole->latencyUs;
    latency.us = std::ranges::all_of(counted, [&](const auto &one) { return one.whole->latencyUs == firstUs; })
                     ? firstUs // exact to the last digit
                     : latency.us / weights;
    latency.halfWidthUs = halfWidth(counted, latency.us);
    latency.measurements = static_cast<int>(counted.size());
    latency.how = how;
    latency.provenance = *counted.back().provenance;
    latency.isDisturbed = onlyDisturbed;
    return latency;
}

std::optional<PooledLatency> pooled(std::span<const Measurement> measurements)
{
    for (const MeasuredHow how : {MeasuredHow::InRounds, MeasuredHow::Alone, MeasuredHow::SumOfStages}) {
        if (auto latency = pooled(measurements, how))
            return latency;
    }
    return std::nullopt;
}

std::optional<Measurement> measurementOf(const TimedSchedule &schedule, std::int64_t atSeconds)
{
    if (!schedule.measured.whole || !schedule.measured.provenance)
        return std::nullopt;
    Measurement measurement;
    measurement.how = schedule.measured.how;
    measurement.whole = schedule.measured.whole;
    measurement.provenance = schedule.measured.provenance;
    measurement.atSeconds = atSeconds;
    return measurement;
}

std::shared_ptr<const TimedSchedule> withLatency(const ScheduleResult &result, const PooledLatency &latency)
{
    const Measurement &own = result.schedule->measured;
    const bool isSum = latency.how == MeasuredHow::SumOfStages;
    if (result.schedule->latencyUs() == latency.us && own.isSumOfStages() == isSum)
        return result.schedule;
    auto copy = std::make_shared<TimedSchedule>(*result.schedule);
    copy->measured.how = isSum ? MeasuredHow::SumOfStages : MeasuredHow::Alone;
    copy->measured.whole = Timing{latency.us, latency.us, 0, 0, own.whole ? own.whole->clocks : ClockRates{}};
    return copy;
}

} // namespace stagecraft
