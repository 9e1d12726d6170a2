#pragma once

// The texts of the timeline: counter values with their unit, and the facts of a kernel or a gap (rich text).

#include "graph/graph.h"
#include "timing/timeline/timeline_index.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] QString counterText(const CounterSeries &series, double value);

// The value at that time; 0 before the first step.
[[nodiscard]] double valueAt(const CounterSeries &series, std::int64_t timeNs);

[[nodiscard]] QString meanText(const CounterSeries &series, double mean); // "1,353 warps (26.4 %)"

[[nodiscard]] QString kernelName(const KernelSpan &kernel);
// "conv1 + conv2"; empty if the graph is null or the kernel has none.
[[nodiscard]] QString operatorsText(const KernelSpan &kernel, const Graph *graph);

[[nodiscard]] QString gapTip(const Gap &gap, std::size_t row, const TimelineIndex &index, const Graph *graph);
[[nodiscard]] QString kernelTip(const KernelSpan &kernel, const Timeline &timeline, const Graph *graph);

} // namespace stagecraft
