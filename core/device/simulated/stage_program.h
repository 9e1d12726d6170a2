#pragma once

// A stage as launches: the stream of each kernel, and when the host has launched it.
//
// One host thread launches serially, group after group or in the order that the stage states, with a stream per group;
// a launch takes `launch_us`, plus
// `cudnn_call_us` if it is a cuDNN call. Time starts when the first launch reaches the device: the host time for it
// after a synchronisation belongs to the boundary between stages.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <vector>

namespace stagecraft {

struct StageProgram {
    std::vector<Launch> launches;
    std::vector<std::vector<OperatorId>> operators; // by launch
    double hostNs = 0;                              // all launches of the stage, one after another
    bool isConcurrent = false;                      // several groups: the device is synchronised before and after
    LaunchWaits waits;                              // of a stream schedule: for events
};

// Appends one launch. Before it the host spends `eventsNs` on events.
void appendLaunch(StageProgram &program, const DeviceDescription &device, const Kernel &kernel, std::size_t stream,
                  std::vector<OperatorId> operators, double eventsNs = 0);

// Latency of the stage, or of the streams, given the end of its last kernel. Without a synchronisation the host runs
// ahead of the device, so a chain takes the longer of the two; at least a nanosecond.
[[nodiscard]] double stageLatencyNs(const StageProgram &program, double deviceEndNs);

} // namespace stagecraft
