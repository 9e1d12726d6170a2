#pragma once

// The schedule that a trace of this program states: each stage, or the streams, as in schedule files, and counters with
// their maxima. So a schedule comes back as it was, where what ran beside each other would only show most of it.

#include "device/recorded/profiles/profile.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "timing/timeline/timeline.h"
#include "timing/timing.h"

#include <optional>
#include <vector>

namespace stagecraft {

struct StatedSchedule {
    Schedule schedule;           // still to be verified
    std::vector<Timing> timings; // of its stages
};

// Empty: the profile states none, or one of another model.
[[nodiscard]] std::optional<StatedSchedule> statedSchedule(const Graph &graph, const Profile &profile);
// Times as in the profile.
[[nodiscard]] std::vector<CounterSeries> statedCounters(const Profile &profile);

} // namespace stagecraft
