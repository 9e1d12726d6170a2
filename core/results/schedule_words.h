#pragma once

// Text shown with the latency of a schedule: what kind of number it is, and how many of its stages were disturbed.

#include "schedule/timed_schedule.h"

#include <string>

namespace stagecraft {

// "measured", "simulated", "simulated by an older simulator". Empty until measured.
[[nodiscard]] std::string provenanceOf(const TimedSchedule &schedule);

// The same, or "sum of stages, recorded": a sum is not the latency of the schedule.
[[nodiscard]] std::string provenanceWords(const TimedSchedule &schedule);

// How the search ended, and how fast a schedule without barriers could be (search/search_words.h); empty where there is
// nothing to say.
[[nodiscard]] std::string searchEnding(const TimedSchedule &schedule);
[[nodiscard]] std::string boundWithoutBarriers(const TimedSchedule &schedule);

[[nodiscard]] std::size_t disturbedStages(const TimedSchedule &schedule);

// Simulated by a simulator before this one: the number is kept, and not compared with new ones.
[[nodiscard]] bool isOfOlderSimulator(const TimedSchedule &schedule);

// Two latencies of whole schedules are comparable, and so are two sums; one of each is not, nor are those of two
// simulators.
[[nodiscard]] bool areComparable(const TimedSchedule &one, const TimedSchedule &other);

} // namespace stagecraft
