#pragma once

// The same rKernels one operator after another and fused, as Rammer's authors compare them (Ma et al., OSDI 2020): the
// kernel that is fastest alone is not the best one beside others.

#include "graph/block.h"
#include "graph/graph.h"
#include "support/result.h"

#include <memory>
#include <string>

namespace stagecraft {

// Of a whole network, in microseconds. Alone: every operator launches its rKernels by itself. Fused: each block is one
// fused stage.
struct RTaskLatencies {
    double fastestAlone = 0;
    double fastestFused = 0;
    double thriftiestAlone = 0;
    double thriftiestFused = 0;
    double byWaveFused = 0; // the choice of the wavefront policy
};

// Errors: no such device; DeviceFailed if rTasks do not fit the device.
[[nodiscard]] Result<RTaskLatencies> rTaskLatencies(const std::string &nameOrPath, std::shared_ptr<const Graph> graph,
                                                    const Blocks &blocks);

} // namespace stagecraft
