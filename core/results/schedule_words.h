#pragma once

// Text shown with the latency of a schedule: what kind of number it is, and how many of its stages were disturbed.

#include "schedule/timed_schedule.h"

#include <string>

namespace stagecraft {

// "measured", or "sum of stages, recorded": a sum is not the latency of the schedule. Empty until measured.
[[nodiscard]] std::string provenanceWords(const TimedSchedule &schedule);

[[nodiscard]] std::size_t disturbedStages(const TimedSchedule &schedule);

// Two latencies of whole schedules are comparable, and so are two sums; one of each is not.
[[nodiscard]] inline bool areComparable(const TimedSchedule &one, const TimedSchedule &other)
{
    return one.measured.isSumOfStages() == other.measured.isSumOfStages();
}

} // namespace stagecraft
