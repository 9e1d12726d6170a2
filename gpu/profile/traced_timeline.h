#pragma once

// Makes a timeline from the traced kernels of one run of a program: spans with their operators, stages and groups, and
// the modelled number of resident warps.
//
// The model: as many thread blocks of a kernel are resident as fit on all SMs by registers, shared memory and threads;
// a larger grid runs in waves of equal length, the last one partly filled. Overlapping kernels add up, to at most the
// device's maximum.

#include "gpu/plan/program_plan.h"
#include "gpu/profile/kernel_record.h"
#include "graph/graph.h"
#include "timing/timeline/timeline.h"

#include <functional>
#include <span>
#include <vector>

namespace stagecraft::gpu {

struct SmLimits {
    int sms = 0;
    int warpsPerSm = 0;
    // Thread blocks of a kernel that fit on one SM; at least 1 for a kernel that ran.
    std::function<int(const KernelRecord &)> blocksPerSm;
};

[[nodiscard]] CounterSeries modelledWarps(std::span<const KernelRecord> records, std::int64_t zeroNs,
                                          std::int64_t durationNs, const SmLimits &limits);

// Times start with the first kernel. A record whose times are both 0 has no times from CUPTI: it is left out, and a
// note gives the number. A kernel of no known task keeps its span, without operators, in the stage of the previous
// kernel, and a note gives the number. Kernels of streams are of no stage.
[[nodiscard]] Timeline tracedTimeline(const Graph &graph, const ProgramPlan &plan, std::vector<KernelRecord> records,
                                      const TaskMap &tasks, const SmLimits &limits, const Schedule &schedule);

// Adds a note with the latency of the same program without a profiler: tracing each kernel takes time of its own.
void addUntraced(Timeline &timeline, double untracedUs);

} // namespace stagecraft::gpu
