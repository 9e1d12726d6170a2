#pragma once

// The texts of the timeline: counter values with their unit, and the facts of a kernel (rich text).

#include "graph/graph.h"
#include "timeline/timeline.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] QString counterText(const CounterSeries &series, double value);

// The value at that time; 0 before the first step.
[[nodiscard]] double valueAt(const CounterSeries &series, std::int64_t timeNs);

[[nodiscard]] QString kernelTip(const KernelSpan &kernel, const Timeline &timeline, const Graph *graph);

} // namespace stagecraft
