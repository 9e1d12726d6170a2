#pragma once

// The schedule that a profile shows: which operators ran beside each other, and in which order. Operators whose kernels
// overlap in time form one stage, all others one each, in the order in which they started. What overlapped but cannot
// be a stage between barriers, or ran in an order that edges or blocks do not allow, is put into the nearest legal
// order, and a note says so.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct ObservedKernel {
    std::vector<OperatorId> operators; // not empty; the first is the one that its time is counted for
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t stream = 0;
    bool isOfGraph = false; // of a CUDA graph: what overlaps on one stream overlapped
};

struct ObservedStages {
    std::vector<Stage> stages; // legal (schedule/verify.h)
    std::vector<std::string> notes;
};

// `kernels` ascend by start.
[[nodiscard]] ObservedStages observedStages(const Graph &graph, const Blocks &blocks,
                                            std::span<const ObservedKernel> kernels);

} // namespace stagecraft
