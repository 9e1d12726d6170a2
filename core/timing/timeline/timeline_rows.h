#pragma once

// The rows of a timeline: streams of a GPU, threads of a CPU. A kernel of a CPU has no thread blocks (threadsPerBlock =
// 0): it ran on grid[0] threads from `stream` on, and is on the row of each. Kernels of a profile are on one row each.

#include "timing/timeline/timeline.h"

namespace stagecraft {

struct TimelineRows {
    std::size_t first = 0;
    std::size_t count = 1;
};

[[nodiscard]] bool hasThreadRows(const Timeline &timeline);
[[nodiscard]] TimelineRows rowsOf(const KernelSpan &kernel, const Timeline &timeline); // never beyond its streams

// The number of kernels on a GPU, or of operators on a CPU, however many threads each had.
[[nodiscard]] std::size_t runCount(const Timeline &timeline);

} // namespace stagecraft
