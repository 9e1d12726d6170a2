#pragma once

// Times a program with CUDA events: replays of its graph, or direct runs in streams mode.

#include "device/executing/adaptive_measurement.h"
#include "gpu/device/event_timer.h"
#include "gpu/device/program.h"

namespace stagecraft::gpu {

class Stopwatch {
public:
    // `repeats` runs are in one graph and share the cost of its launch, as the stages of a whole schedule do.
    Stopwatch(GpuContext &context, Program &program, int repeats);

    void wakeUp(const std::stop_token &stop); // call before the first timing
    // Microseconds for `number` runs. Throws Failure.
    [[nodiscard]] double timeUs(int number);
    // The median of a few timings of one run, after one that does not count.
    [[nodiscard]] double medianUs();

private:
    void runOnce();

    GpuContext &m_context;
    Program &m_program;
    int m_repeats;
    CudaGraphExec m_graph; // empty in streams mode
    EventTimer m_timer;
};

} // namespace stagecraft::gpu
