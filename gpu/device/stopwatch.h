#pragma once

// Times a program with CUDA events: replays of its graph, or direct runs in streams mode.

#include "device/adaptive_measurement.h"
#include "gpu/device/event_timer.h"
#include "gpu/device/program.h"

namespace stagecraft::gpu {

class Stopwatch {
public:
    // `repeats` runs follow each other within one graph: what a launch of the graph costs is shared by them, as in a
    // whole schedule it is shared by the stages.
    Stopwatch(GpuContext &context, Program &program, int repeats);

    void wakeUp(const std::stop_token &stop); // before the first timing
    // Microseconds that `number` runs take. Throws Failure.
    [[nodiscard]] double timeUs(int number);

private:
    void runOnce();

    GpuContext &m_context;
    Program &m_program;
    int m_repeats;
    CudaGraphExec m_graph; // empty in streams mode
    EventTimer m_timer;
};

} // namespace stagecraft::gpu
