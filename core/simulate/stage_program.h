#pragma once

// A stage as launches: which kernel goes to which stream, and when the host has launched it.
//
// One host thread launches serially, group after group, a stream per group; a launch takes `launch_us`, and
// `cudnn_call_us` on top where it is a cuDNN call. Time starts when the first launch has reached the device: what the
// host needs for it after a synchronisation belongs to the boundary between stages.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "simulate/block_scheduler.h"
#include "simulate/device_description.h"
#include "simulate/kernel.h"

#include <vector>

namespace stagecraft {

struct StageProgram {
    std::vector<Launch> launches;
    std::vector<std::vector<OperatorId>> operators; // of each launch
    double hostNs = 0;                              // all launches of the stage, one after another
    bool sideBySide = false;                        // several groups: the device is synchronised before and after
};

// Adds one launch after those already there.
void appendLaunch(StageProgram &program, const DeviceDescription &device, const Kernel &kernel, std::size_t stream,
                  std::vector<OperatorId> operators);

// Latency of the stage, given when its last kernel ends. Without a synchronisation the host runs ahead of the device,
// so that a chain takes whatever is longer of the two; never less than a nanosecond.
[[nodiscard]] double stageLatencyNs(const StageProgram &program, double deviceEndNs);

} // namespace stagecraft
