#pragma once

// Times what one stream does, between two CUDA events. Microseconds; throws Failure.

#include "gpu/cuda/cuda_handles.h"

namespace stagecraft::gpu {

class EventTimer {
public:
    EventTimer();

    void start(cudaStream_t stream);
    [[nodiscard]] double stopUs(cudaStream_t stream); // since start; waits

    // The time of `number` replays, one after another.
    [[nodiscard]] double replaysUs(const CudaGraphExec &graph, cudaStream_t stream, int number);

private:
    Event m_start;
    Event m_stop;
};

} // namespace stagecraft::gpu
