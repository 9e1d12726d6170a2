#pragma once

// The rows of a timeline: the streams of a GPU, the threads of a CPU. On a CPU there are no thread blocks: a kernel
// without any, threadsPerBlock = 0, was given grid[0] threads from `stream` on and is on the row of each of them.

#include "timeline/timeline.h"

namespace stagecraft {

struct TimelineRows {
    std::size_t first = 0;
    std::size_t count = 1;
};

[[nodiscard]] bool hasThreadRows(const Timeline &timeline);
[[nodiscard]] TimelineRows rowsOf(const KernelSpan &kernel, const Timeline &timeline); // never beyond its streams

// How many ran: kernels on a GPU, operators on a CPU, however many threads each had.
[[nodiscard]] std::size_t runCount(const Timeline &timeline);

} // namespace stagecraft
