#pragma once

// The timeline of a schedule on a GPU: a few timed runs, one traced run, then a separate sampled run. Missing data
// becomes a note of the timeline, with the permission that it needs; without a trace there is no timeline.

#include "gpu/device/program.h"
#include "timing/timeline/timeline.h"

namespace stagecraft::gpu {

// Throws Failure.
[[nodiscard]] Result<Timeline> profile(GpuContext &context, Program &program, const Schedule &schedule);

} // namespace stagecraft::gpu
