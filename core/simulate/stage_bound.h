#pragma once

// A stage's latency from below, without simulating it: what the host, the longest group, the SMs and the memory each
// need at least. Never above the simulated latency, so a search may prove optima with it.

#include "simulate/block_scheduler.h"
#include "simulate/device_description.h"
#include "simulate/kernel.h"

#include <array>
#include <span>
#include <vector>

namespace stagecraft {

// What a kernel needs at least, whatever runs beside it. Nanoseconds.
struct KernelNeeds {
    double hostNs = 0;  // to launch it
    double aloneNs = 0; // with the device for itself, ramp not included
    double smNs = 0;    // of all SMs
    double dramNs = 0;  // of the whole DRAM bandwidth
    double l2Ns = 0;
};

[[nodiscard]] std::vector<KernelNeeds> needsOf(std::span<const Kernel> kernels, const DeviceDescription &device,
                                               const SmLimits &limits);

// One launch of a stage, in the order in which the host launches them.
struct BoundLaunch {
    const KernelNeeds *needs = nullptr;
    std::size_t stream = 0;
};

// A kernel starts no earlier than the host and the kernels before it on its stream allow, and what follows it on its
// stream comes after it. Of any set of kernels, all that SMs or memory have to do for it lies between the earliest
// start and the shortest rest (the preemptive one-machine bound with heads and tails, Carlier 1982).
[[nodiscard]] double stageBoundNs(std::span<const BoundLaunch> launches, const SmLimits &limits);

// What an operator with these kernels adds at least to any stage: to the host's time, the SMs', DRAM's and L2's. Of
// each, the sum over the operators of a stage is at most the stage's latency; a single one may be negative.
using StageShares = std::array<double, 4>;
[[nodiscard]] StageShares stageSharesNs(std::span<const KernelNeeds> kernels, const DeviceDescription &device,
                                        const SmLimits &limits);

} // namespace stagecraft
