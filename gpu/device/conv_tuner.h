#pragma once

// Finds the fastest ways to compute a convolution alone, timed in its own memory.

#include "gpu/device/conv_choice.h"
#include "gpu/device/event_timer.h"

namespace stagecraft::gpu {

class GpuContext;

class ConvTuner {
public:
    explicit ConvTuner(GpuContext &context) : m_context(context) {}

    // The fastest few, best first. Throws Failure if none works, or the GPU failed.
    [[nodiscard]] std::vector<ConvChoice> fastest(const std::vector<ConvChoice> &choices, const ConvTask &conv);

private:
    [[nodiscard]] std::vector<ConvStep> bound(const ConvChoice &choice, const ConvTask &conv);
    void run(const std::vector<ConvStep> &steps);
    [[nodiscard]] double directUs(const std::vector<ConvStep> &steps);
    [[nodiscard]] double replayedUs(const std::vector<ConvStep> &steps, int replays);

    GpuContext &m_context;
    DeviceMemory m_memory;
    EventTimer m_timer;
};

} // namespace stagecraft::gpu
