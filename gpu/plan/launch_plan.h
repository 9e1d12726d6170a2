#pragma once

// The order in which tasks are submitted to streams, and what waits for what.
//
// Graph mode: the groups of a stage are branches. Stream 0 forks at the start of a stage of several groups (an event
// that the other streams wait for) and joins at its end (an event of each that stream 0 waits for). Captured, this is a
// graph with a branch per group and a join per stage. Streams mode: a device-wide synchronisation between stages where
// one of them has several groups, as in the public IOS implementation, and one at the end, so that runs of different
// schedules follow each other in the same way. Only a single stage with one group has none at the end: in a schedule,
// the next one would follow at once. Of stream schedules: gpu/plan/stream_launches.h.

#include "gpu/plan/task.h"

#include <span>
#include <vector>

namespace stagecraft::gpu {

struct LaunchStep {
    enum class Kind { Run, Record, Wait, Synchronize };

    Kind kind = Kind::Run;
    std::size_t stream = 0;
    std::size_t item = 0; // the task of Run, the event of Record and Wait

    friend bool operator==(const LaunchStep &, const LaunchStep &) = default;
};

struct LaunchPlan {
    std::vector<LaunchStep> steps;
    std::size_t streams = 1;
    std::size_t events = 0;
};

// `tasks` ascend by stage, then group. Groups without tasks use no stream; those of a stage come in the order of
// their turns or, without, alternate, so that every group starts early whatever a launch costs the host.
[[nodiscard]] LaunchPlan planLaunches(std::span<const Task> tasks, Mode mode);

} // namespace stagecraft::gpu
