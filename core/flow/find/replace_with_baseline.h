#pragma once

// Replaces the schedule found by a search by another one, with its stages and latencies, but with the search's record.
// What the search proved still bounds it, so the gap is adjusted.

#include "schedule/stage_latency_source.h"
#include "schedule/timed_schedule.h"
#include "search/result.h"
#include "timing/statistics/rounds.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

// The sum of the stages, which have latencies, and of the boundaries between them.
[[nodiscard]] double sumUs(const TimedSchedule &schedule, const BoundaryCost &boundary);

// `blocks`: of the search; their runners-up are removed.
void replaceWithBaseline(TimedSchedule &found, std::vector<BlockSearch> &blocks, const TimedSchedule &other,
                         const BoundaryCost &boundary);

// A search adds up stages, but in one go a baseline may be faster. Then the baseline's stages and times replace those
// that were found, and the record says so (Termination::BaselineKept). `times` are those of `all`, which starts with
// `baselines` baselines. Only schedules with the blocks of their search are replaced, and not if the search had to keep
// stages, which a baseline lacks. Returns what stands in each place.
std::vector<std::size_t> keepFasterBaselines(std::vector<FoundSchedule> &all, std::vector<TimingInRounds> &times,
                                             std::size_t baselines, const BoundaryCost &boundary);

} // namespace stagecraft
