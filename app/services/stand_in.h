#pragma once

// Another schedule in the place of what a search found: its stages and latencies, under the record of the search. What
// the search proved still bounds it, so the gap follows.

#include "schedule/schedule.h"
#include "search/result.h"
#include "search/stage_latency_source.h"

#include <vector>

namespace stagecraft {

// What the stages, which have latencies, and what lies between them add up to.
[[nodiscard]] double sumUs(const Schedule &schedule, const BoundaryCost &boundary);

// `blocks`: of the search; stages that were not taken are no longer told of.
void standIn(Schedule &found, std::vector<BlockSearch> &blocks, const Schedule &other, const BoundaryCost &boundary);

} // namespace stagecraft
