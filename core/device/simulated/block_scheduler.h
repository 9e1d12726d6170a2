#pragma once

// Simulates thread blocks on SMs over time.
//
// A kernel is ready when the host has launched it, the previous kernel on its stream and those that it waits for by
// events have ended, plus its ramp.
// Blocks of ready kernels are dispatched strictly in the order in which the kernels became ready (launch order in a
// tie), each to the SM with the fewest resident warps that has room for it (blocks, warps, registers, shared memory).
// The blocks on an SM share its throughput by their warps; with fewer warps than saturate the SM, a part is unused;
// what a block that waits for memory does not use goes to the others. In addition a block takes its own latency. All
// kernels share DRAM and L2 bandwidth, fairly by resident warps, and none gets more than it can use.
//
// SMs that hold the same blocks at the same progress form one class, so the cost grows with events, not with SMs;
// classes whose progress differs by less than a hundredth of a block are merged. Times are nanoseconds. No libm, no
// threads: with IEEE arithmetic the result is the same to the last bit everywhere.

#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "timing/timeline/unit_rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

// The limits of the device that the scheduler uses.
struct SmLimits {
    int smCount = 0;
    int blocks = 0;
    int warps = 0;
    std::int64_t registers = 0;
    std::int64_t sharedBytes = 0;
    double saturatingWarps = 1;
    double dramBytesPerNs = 0;
    double l2BytesPerNs = 0;
    double rampNs = 0;
    double eventNs = 0; // from the end of a kernel until one on another stream knows of it
};

[[nodiscard]] SmLimits limitsOf(const DeviceDescription &description);

// The number of blocks of the kernel that fit on one SM; may be 0.
[[nodiscard]] int residentBlocks(const SmLimits &limits, const Kernel &kernel);

struct Launch {
    const Kernel *kernel = nullptr; // at least one of its blocks fits on an empty SM
    std::size_t stream = 0;
    double arrivalNs = 0; // when the host has launched it; ascending
};

// By launch: the earlier launches on other streams that it waits for. Empty: none waits.
using LaunchWaits = std::vector<std::vector<std::uint32_t>>;

struct LaunchTimes {
    double startNs = 0; // ramp included
    double endNs = 0;
};

// Values from `fromNs` until the next sample.
struct DeviceSample {
    double fromNs = 0;
    double activeWarps = 0;
    double busySms = 0;
    double flopsPerNs = 0;
    double dramBytesPerNs = 0;
};

struct BlockTrace {
    std::vector<LaunchTimes> launches; // in the order given
    std::vector<DeviceSample> samples;
    std::vector<UnitRow> units = {}; // of an rProgram
};

struct SchedulerState;

// Keeps its working memory between runs. Threads: used by one thread at a time.
class BlockScheduler {
public:
    explicit BlockScheduler(SmLimits limits);
    ~BlockScheduler();
    BlockScheduler(BlockScheduler &&) noexcept;
    BlockScheduler &operator=(BlockScheduler &&) noexcept;

    // Time at which the last kernel ends. Fills `trace` if given.
    [[nodiscard]] double run(std::span<const Launch> launches, BlockTrace *trace = nullptr,
                             const LaunchWaits &waits = {});

private:
    SmLimits m_limits;
    std::unique_ptr<SchedulerState> m_state;
};

} // namespace stagecraft
