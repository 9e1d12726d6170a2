#pragma once

// Why a schedule takes as long as it does: its latency divided into the parts of timing/timeline/time_parts.h, whole
// and by range of stages. Made of a timeline of the schedule, whoever made it: the simulator, a device's own profiler,
// or another program. All times in microseconds.
//
// The parts of the whole add up to the latency. All but one are at least 0: what the latency has beyond its timeline is
// not explained, and less than 0 where the timeline took longer (under a profiler) than what it explains.

#include "schedule/compare/spans.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/timeline_index.h"

#include <optional>
#include <vector>

namespace stagecraft {

struct ScheduleTimeParts {
    double latencyUs = 0;
    double timelineUs = 0;   // what its timeline took
    Provenance provenance{}; // of the timeline
    TimePartSources sources; // what it tells apart
    TimeParts whole;         // adds up to latencyUs
    // By stage of the schedule, as in the timeline; zeros: not in it. Of streams: by launch (compare/stream_times.h).
    std::vector<TimeParts> stages;
    std::vector<TimeParts> beforeStages; // what lies between the stage before and this one; of the first: its start

    // Whether the timeline tells stages apart; those of other programs may not, and then only the whole is known.
    bool areStagesKnown = false;

    // Stages, and what lies between them: with all other ranges, with what lies between ranges and with what the
    // latency has beyond its timeline it adds up to the whole.
    [[nodiscard]] TimeParts of(StageRange range) const;
    [[nodiscard]] bool has(TimePart part) const; // what the timeline can tell, or the whole has
};

// Empty if the schedule's latency is not known.
[[nodiscard]] std::optional<ScheduleTimeParts> scheduleTimeParts(const TimedSchedule &schedule,
                                                                 const TimelineIndex &timeline);

} // namespace stagecraft
