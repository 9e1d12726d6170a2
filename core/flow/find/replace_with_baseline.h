#pragma once

// Replaces the schedule found by a search by another one, with its stages and latencies, but with the search's record.
// What the search proved still bounds it, so the gap is adjusted.

#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "search/result.h"

#include <vector>

namespace stagecraft {

// The sum of the stages, which have latencies, and of the boundaries between them.
[[nodiscard]] double sumUs(const Schedule &schedule, const BoundaryCost &boundary);

// `blocks`: of the search; their runners-up are removed.
void replaceWithBaseline(Schedule &found, std::vector<BlockSearch> &blocks, const Schedule &other,
                         const BoundaryCost &boundary);

} // namespace stagecraft
