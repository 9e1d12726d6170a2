#pragma once

// A lower bound of a stage's latency without simulation: the minimum needs of the host, the longest group, the SMs and
// the memory. Never above the simulated latency, so a search may prove optima with it.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "graph/graph.h"

#include <array>
#include <span>
#include <vector>

namespace stagecraft {

// What a kernel needs at least, whatever runs at the same time. Nanoseconds.
struct KernelNeeds {
    double hostNs = 0;  // to launch it
    double aloneNs = 0; // with the device to itself, without ramp
    double smNs = 0;    // time of all SMs together
    double dramNs = 0;  // time at full DRAM bandwidth
    double l2Ns = 0;
};

// The kernel alone on the device, without ramp: no faster than all SMs together, and no block faster than its warps
// allow.
[[nodiscard]] double leastKernelNs(const Kernel &kernel, const SmLimits &limits);

[[nodiscard]] std::vector<KernelNeeds> needsOf(std::span<const Kernel> kernels, const DeviceDescription &device,
                                               const SmLimits &limits);

// One launch of a stage, in the order of the host's launches.
struct BoundLaunch {
    const KernelNeeds *needs = nullptr;
    std::size_t stream = 0;
};

// A kernel starts no earlier than the host and the previous kernels on its stream allow, and the later ones on its
// stream come after it. For any set of kernels, the SMs' or memory's work lies between the earliest start and the
// shortest rest (the preemptive one-machine bound with heads and tails, Carlier 1982).
[[nodiscard]] double stageBoundNs(std::span<const BoundLaunch> launches, const SmLimits &limits);

// No schedule takes less, with barriers or without, whatever runs beside what, if every operator launches its own
// kernels: not one that merges convolutions. Of the longest path through the graph, the work of all kernels on the SMs
// and the memory, and the host's launches. `needs`: by operator.
[[nodiscard]] double graphBoundNs(const Graph &graph, std::span<const std::vector<KernelNeeds> *const> needs,
                                  const SmLimits &limits);

// What an operator with these kernels adds at least to any stage: to the time of the host, the SMs, DRAM and L2. For
// each, the sum over the operators of a stage is at most the stage's latency; single ones may be negative.
using StageShares = std::array<double, 4>;
[[nodiscard]] StageShares stageSharesNs(std::span<const KernelNeeds> kernels, const DeviceDescription &device,
                                        const SmLimits &limits);

} // namespace stagecraft
