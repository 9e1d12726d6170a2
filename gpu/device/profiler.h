#pragma once

// The timeline of a schedule on a GPU: one run traced, then, on its own, one sampled. What cannot be had is a note of
// the timeline, with the right that is missing; without a trace there is no timeline.

#include "gpu/device/program.h"
#include "timeline/timeline.h"

namespace stagecraft::gpu {

// Throws Failure.
[[nodiscard]] Result<Timeline> profile(GpuContext &context, Program &program, std::size_t stages);

} // namespace stagecraft::gpu
