#pragma once

// The launch plan of a stream schedule: its launches go to its streams in launch order, and a launch waits for the
// events of those that it names. Captured, this is a graph whose branches meet only where an edge needs it.

#include "gpu/plan/launch_plan.h"
#include "schedule/streams/streams.h"

#include <span>

namespace stagecraft::gpu {

// `tasks` ascend by launch, which is their stage; a launch may have none. All work follows what was on stream 0 before,
// and stream 0 follows all work; streams mode ends with a synchronisation, as with several stages.
[[nodiscard]] LaunchPlan planStreamLaunches(std::span<const Task> tasks, const Streams &streams, Mode mode);

} // namespace stagecraft::gpu
