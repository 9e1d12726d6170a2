#pragma once

// Which buffer every tensor of a program lies in, and how long each buffer is needed.

#include "cpu/onednn/layout_choice.h"
#include "cpu/onednn/step.h"
#include "device/memory_plan.h"
#include "schedule/schedule.h"

#include <optional>

namespace stagecraft::cpu {

struct Placement {
    std::vector<Place> tensors;               // by TensorId; only valid for tensors of the stages
    std::vector<std::optional<Place>> merged; // by stage: the output of its merged convolution
    std::vector<TensorId> outside;            // read but not produced by the stages, ascending
    std::vector<BufferLife> buffers;

    std::size_t addBuffer(std::size_t bytes, std::size_t stage);
};

// A tensor with an alias lies in the joined tensor's buffer, a member of a merged convolution in the merged output if
// its consumers can read it there. Tensors from outside and outputs of the graph live through all stages.
[[nodiscard]] Placement placeTensors(const Graph &graph, const Layouts &layouts, const std::vector<Stage> &stages);

} // namespace stagecraft::cpu
