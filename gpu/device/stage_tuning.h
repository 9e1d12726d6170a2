#pragma once

// Engines of a stage's convolutions, timed in the stage they run in: what is fastest alone may take the multiprocessors
// that a neighbour needs.

#include "gpu/device/program.h"

#include <map>

namespace stagecraft::gpu {

class StageTuner {
public:
    explicit StageTuner(GpuContext &context) : m_context(context) {}

    // Each stage's convolutions as is fastest in it; of stages with one group, alone. Throws Failure.
    [[nodiscard]] Result<std::unique_ptr<Program>> compile(std::span<const Stage> stages);

private:
    struct Tuned {
        std::string key; // what the choice was made for: in another schedule the tensors may lie otherwise
        ConvChoice choice;
    };

    [[nodiscard]] Result<std::vector<Tuned>> tuned(const Stage &stage);

    GpuContext &m_context;
    std::map<std::vector<std::vector<OperatorId>>, std::vector<Tuned>> m_known; // by the groups of a concurrent stage
};

} // namespace stagecraft::gpu
