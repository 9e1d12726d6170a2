#pragma once

// Traces kernels through CUPTI's activity API (concurrent kernels: not serialised), and follows through callbacks which
// task created which graph node or launch. One at a time in a process. Source: CUPTI documentation, "Activity API",
// "Callback API", "CUDA graphs".

#include "gpu/profile/cupti.h"
#include "gpu/profile/kernel_record.h"

#include <vector>

namespace stagecraft::gpu {

class KernelTracer {
public:
    // Starts recording nodes and launches in `tasks`, which outlives this. Throws Failure.
    KernelTracer(const Cupti &cupti, TaskMap &tasks);
    ~KernelTracer();
    KernelTracer(const KernelTracer &) = delete;
    KernelTracer &operator=(const KernelTracer &) = delete;

    // The device is idle during both calls. What ran before start() is left out.
    void start();
    [[nodiscard]] std::vector<KernelRecord> finish();

private:
    const Cupti &m_cupti;
    CUpti_SubscriberHandle m_subscriber = nullptr;
};

[[nodiscard]] KernelRecord recordFrom(const KernelActivity &activity);

} // namespace stagecraft::gpu
