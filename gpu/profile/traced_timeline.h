#pragma once

// A timeline from the kernels that one run of a program left in a trace: spans with their operators, stages and groups,
// and the warps they may have kept resident, modelled.
//
// The model: of a kernel, as many thread blocks are resident at once as fit all SMs by registers, shared memory and
// threads; a grid that is larger runs in waves of equal length, the last one partly filled. Kernels that overlap add
// up, to the device's maximum at most.

#include "gpu/plan/program_plan.h"
#include "gpu/profile/kernel_record.h"
#include "graph/graph.h"
#include "timeline/timeline.h"

#include <functional>
#include <span>
#include <vector>

namespace stagecraft::gpu {

struct SmLimits {
    int sms = 0;
    int warpsPerSm = 0;
    // Thread blocks of a kernel that one SM holds at once; at least 1 for a kernel that ran.
    std::function<int(const KernelRecord &)> blocksPerSm;
};

[[nodiscard]] CounterSeries modelledWarps(std::span<const KernelRecord> records, std::int64_t originNs,
                                          std::int64_t durationNs, const SmLimits &limits);

// Times begin with the first kernel. A record whose times are both 0 is one of which CUPTI could not take them: left
// out, and a note says how many. A kernel that belongs to no task known keeps its span, without operators, in the
// stage of the kernel before it, and a note says how many there are.
[[nodiscard]] Timeline tracedTimeline(const Graph &graph, const ProgramPlan &plan, std::vector<KernelRecord> records,
                                      const TaskMap &tasks, const SmLimits &limits, std::size_t stages);

} // namespace stagecraft::gpu
