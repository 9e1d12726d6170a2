#pragma once

// What is said beside the latency of a schedule, wherever it is shown: what kind of number it is, and how many of its
// stages' latencies something else had a part in.

#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// "measured", or "sum of stages, recorded": what was added up is not a latency of the schedule. Empty until measured.
[[nodiscard]] std::string latencyOrigin(const Schedule &schedule);

[[nodiscard]] std::size_t disturbedStages(const Schedule &schedule);

// Two latencies of whole schedules compare, and so do two sums; one of each does not.
[[nodiscard]] inline bool areComparable(const Schedule &one, const Schedule &other)
{
    return one.isSumOfStages == other.isSumOfStages;
}

} // namespace stagecraft
