#pragma once

// Which buffer each tensor of a plan lies in, and how long each buffer is needed. Private to plan.

#include "plan/plan.h"

namespace stagecraft::plan {

struct Placement {
    std::vector<std::optional<View>> tensors; // by TensorId
    std::vector<std::optional<View>> merged;  // by stage: the output of its merge
    std::vector<TensorId> outside;
    std::vector<BufferLife> buffers;
};

[[nodiscard]] Placement placeTensors(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages);

// The operators of a stage, group after group.
[[nodiscard]] std::vector<OperatorId> membersOf(const Stage &stage);

// Layout of a merge's output: that of its members where they agree.
[[nodiscard]] TensorLayout mergedLayout(const Graph &graph, const TensorPlan &tensors,
                                        std::span<const OperatorId> members);

} // namespace stagecraft::plan
