#pragma once

// Thread blocks on SMs in time.
//
// A kernel is ready when the host has launched it and the kernel before it on its stream has ended, plus its ramp.
// Blocks of ready kernels are dispatched strictly in the order in which the kernels became ready (launch order where
// that ties), each to the SM with the fewest resident warps that has room for it (blocks, warps, registers, shared
// memory). The blocks resident on an SM share its throughput by their warps; fewer than the saturating number of warps
// leave a part unused; what a block that waits for memory leaves over goes to the others. DRAM and L2 bandwidth are
// shared by all kernels, fairly by resident warps, none getting more than it can use.
//
// SMs that hold the same blocks at the same progress are kept as one class, so the cost is in events, not in SMs;
// classes whose progress differs by less than a hundredth of a block are merged. Times are nanoseconds. No libm, no
// threads: the answer is the same to the last bit wherever IEEE arithmetic is.

#include "simulate/device_description.h"
#include "simulate/kernel.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

// The device as the scheduler needs it.
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
};

[[nodiscard]] SmLimits limitsOf(const DeviceDescription &description);

// How many blocks of the kernel one SM can hold; 0: not even one.
[[nodiscard]] int residentBlocks(const SmLimits &limits, const Kernel &kernel);

struct Launch {
    const Kernel *kernel = nullptr; // at least one of its blocks fits on an empty SM
    std::size_t stream = 0;
    double arrivalNs = 0; // when the host has launched it; ascending
};

struct LaunchTimes {
    double startNs = 0; // ramp included
    double endNs = 0;
};

// What holds from `fromNs` until the next sample.
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
};

struct SchedulerState;

// A scheduler keeps its working memory between runs; one thread at a time.
class BlockScheduler {
public:
    explicit BlockScheduler(SmLimits limits);
    ~BlockScheduler();
    BlockScheduler(BlockScheduler &&) noexcept;
    BlockScheduler &operator=(BlockScheduler &&) noexcept;

    // Time at which the last kernel ends. Fills `trace` if given.
    [[nodiscard]] double run(std::span<const Launch> launches, BlockTrace *trace = nullptr);

private:
    SmLimits m_limits;
    std::unique_ptr<SchedulerState> m_state;
};

} // namespace stagecraft
