#pragma once

// In which order tasks are handed to which stream, and what waits for what.
//
// Graph mode: the groups of a stage are branches. Stream 0 forks at the start of a stage of several groups (an event
// that the other streams wait for) and joins at its end (an event of each that stream 0 waits for). Captured, this is a
// graph with a branch per group and a join per stage. Streams mode: a device-wide synchronisation between stages where
// one of them has several groups, as the public IOS engine has it, and one at the end, so that runs of any schedule
// follow each other alike. Only a lone stage of one group ends without: in a schedule, its like would follow at once.

#include "gpu/plan/task.h"

#include <span>
#include <vector>

namespace stagecraft::gpu {

struct LaunchStep {
    enum class Kind { Run, Record, Wait, Synchronize };

    Kind kind = Kind::Run;
    std::size_t stream = 0;
    std::size_t item = 0; // task of Run, event of Record and Wait

    friend bool operator==(const LaunchStep &, const LaunchStep &) = default;
};

struct LaunchPlan {
    std::vector<LaunchStep> steps;
    std::size_t streams = 1;
    std::size_t events = 0;
};

// `tasks` ascending by stage, then group. Groups without tasks take no stream.
[[nodiscard]] LaunchPlan planLaunches(std::span<const Task> tasks, Mode mode);

} // namespace stagecraft::gpu
