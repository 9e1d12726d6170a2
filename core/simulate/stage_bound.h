#pragma once

// A stage's latency from below, without simulating it: what the host, the longest group, the SMs and the memory each
// need at least. Never above the simulated latency, so a search may prove optima with it.

#include "simulate/block_scheduler.h"
#include "simulate/device_description.h"
#include "simulate/kernel.h"

#include <span>
#include <vector>

namespace stagecraft {

// What one operator's kernels need at least, whatever runs beside them. Nanoseconds.
struct KernelNeeds {
    double hostNs = 0;        // to launch them
    double largestHostNs = 0; // of that, the longest launch
    double chainNs = 0;       // one after another with the device for themselves, ramps included
    double smNs = 0;          // of the whole device's SMs
    double dramNs = 0;        // of the whole device's DRAM bandwidth
    double l2Ns = 0;
};

[[nodiscard]] KernelNeeds needsOf(std::span<const Kernel> kernels, const DeviceDescription &device,
                                  const SmLimits &limits);

// `groups`: the needs of the operators, group by group.
[[nodiscard]] double stageBoundNs(const std::vector<std::vector<const KernelNeeds *>> &groups, const SmLimits &limits);

} // namespace stagecraft
