#pragma once

// The CPU device: this machine, measured. Operators run through oneDNN in float32, each tensor in one layout chosen by
// the library, memory planned from lifetimes. The groups of a stage run on their own threads with the cores divided
// among them; merged convolutions run merged; fused stages are rTasks on cores (onednn/fused_stage.h). A stage's
// latency includes handing its groups to the threads and waiting for all of them, so boundaries cost nothing extra.
//
// Everything is computed for real: run() returns the graph's outputs. An operator without a kernel is refused by name
// when a stage that has it is asked for. Sessions that run at the same time disturb each other: see DeviceLock.

#include "device/device.h"
#include "device/executing/adaptive_measurement.h"

#include <memory>

namespace stagecraft {

struct CpuOptions {
    int cores = 0; // 0: all this process may use
    MeasurementOptions stage;
    MeasurementOptions schedule{
        .warmup = 3, .minRepeat = 11, .maxRepeat = 1000, .budget = std::chrono::milliseconds(600)};
    bool poisonsFreed = false;  // run() fills buffers with NaN once no stage needs them: for tests
    double leastSliceNs = 1000; // operators of fused stages are cut into rTasks that take as long, about, or longer
};

[[nodiscard]] std::unique_ptr<Device> makeCpuDevice(const CpuOptions &options = {});

} // namespace stagecraft
