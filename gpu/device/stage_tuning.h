#pragma once

// Chooses the engines of a stage's convolutions by timing them in the stage: an engine that is fastest alone may occupy
// the multiprocessors that a concurrent group needs.

#include "gpu/device/program.h"

#include <map>

namespace stagecraft::gpu {

class StageTuner {
public:
    explicit StageTuner(GpuContext &context) : m_context(context) {}

    // Uses for each convolution what is fastest in its stage, or alone if the stage has one group or there are streams.
    // Throws Failure.
    [[nodiscard]] Result<std::unique_ptr<Program>> compile(const Schedule &schedule);

private:
    struct Tuned {
        std::string key; // what the choice was made for: in another schedule the tensors may be elsewhere
        ConvChoice choice;
    };

    [[nodiscard]] Result<std::vector<Tuned>> tuned(const Stage &stage);

    GpuContext &m_context;
    std::map<std::vector<std::vector<OperatorId>>, std::vector<Tuned>>
        m_known; // by the groups of a concurrent stage, as launched
};

} // namespace stagecraft::gpu
