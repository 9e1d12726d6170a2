// What an SM can hold (declared in block_scheduler.h).

#include "device/simulated/block_scheduler.h"

#include <algorithm>

namespace stagecraft {

SmLimits limitsOf(const DeviceDescription &d)
{
    SmLimits limits;
    limits.smCount = static_cast<int>(d.smCount);
    limits.blocks = static_cast<int>(d.maxBlocksPerSm);
    limits.warps = static_cast<int>(d.maxWarpsPerSm);
    limits.registers = static_cast<std::int64_t>(d.registersPerSm);
    limits.sharedBytes = static_cast<std::int64_t>(d.sharedMemoryPerSmKib * 1024);
    limits.saturatingWarps = d.saturatingWarpsPerSm;
    limits.dramBytesPerNs = d.dramGbPerSecond * d.dramEfficiency;
    limits.l2BytesPerNs = d.l2GbPerSecond;
    limits.rampNs = d.kernelRampUs * 1000;
    limits.eventNs = d.eventUs * 1000;
    return limits;
}

int residentBlocks(const SmLimits &limits, const Kernel &kernel)
{
    const std::int64_t registers = std::int64_t{kernel.threadsPerBlock} * kernel.registersPerThread;
    std::int64_t blocks = std::min<std::int64_t>(limits.blocks, limits.warps / std::max(1, kernel.warpsPerBlock()));
    if (registers > 0)
        blocks = std::min(blocks, limits.registers / registers);
    if (kernel.sharedBytesPerBlock > 0)
        blocks = std::min(blocks, limits.sharedBytes / kernel.sharedBytesPerBlock);
    return static_cast<int>(blocks);
}

} // namespace stagecraft
