#pragma once

// The ways to run one stage in layouts, as far as they matter outside of it. Private to layout.

#include "graph/graph.h"
#include "search/layouts/joint_search.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stagecraft {

struct StageVariant {
    double us = 0;
    std::vector<std::pair<std::uint32_t, LayoutSet>> reads;    // tensors from outside, ascending, and needed copies
    std::vector<std::pair<std::uint32_t, LayoutIndex>> writes; // tensors that are read outside, or outputs
    StageLayouts layouts;
};

struct StageVariants {
    std::vector<StageVariant> all;
    bool isComplete = true; // false: only those in which operators write the layout that they read, where they can
};

// Variants that are possible and have a latency; of those that read and write the same, the fastest. Errors:
// InvalidInput if there are more than `most` layouts to try even so; the source's.
[[nodiscard]] Result<StageVariants> variantsOf(const Graph &graph, const LayoutProblem &problem, const Stage &stage,
                                               LayoutStageSource &source, std::size_t most,
                                               const std::stop_token &stop);

} // namespace stagecraft
