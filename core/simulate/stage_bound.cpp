#include "simulate/stage_bound.h"

#include <algorithm>

namespace stagecraft {

namespace {

// The kernel alone on the device: no faster than all SMs together, and no block faster than its own warps allow.
double leastNs(const Kernel &kernel, const SmLimits &limits)
{
    const auto blocks = static_cast<double>(kernel.blocks());
    const double warps = kernel.warpsPerBlock();
    const double saturation = std::min(1.0, warps / limits.saturatingWarps);
    const double blockNs = kernel.smNsPerBlock / (saturation * (2 - saturation));
    return std::max({blockNs, blocks * kernel.smNsPerBlock / limits.smCount,
                     blocks * kernel.dramBytesPerBlock / limits.dramBytesPerNs,
                     blocks * kernel.l2BytesPerBlock / limits.l2BytesPerNs});
}

} // namespace

KernelNeeds needsOf(std::span<const Kernel> kernels, const DeviceDescription &device, const SmLimits &limits)
{
    KernelNeeds needs;
    for (const Kernel &kernel : kernels) {
        const double hostNs = 1000 * (device.launchUs + (kernel.cudnnCall ? device.cudnnCallUs : 0));
        needs.hostNs += hostNs;
        needs.largestHostNs = std::max(needs.largestHostNs, hostNs);
        needs.chainNs += limits.rampNs + leastNs(kernel, limits);
        const auto blocks = static_cast<double>(kernel.blocks());
        needs.smNs += blocks * kernel.smNsPerBlock / limits.smCount;
        needs.dramNs += blocks * kernel.dramBytesPerBlock / limits.dramBytesPerNs;
        needs.l2Ns += blocks * kernel.l2BytesPerBlock / limits.l2BytesPerNs;
    }
    return needs;
}

double stageBoundNs(const std::vector<std::vector<const KernelNeeds *>> &groups, const SmLimits &limits)
{
    KernelNeeds sum;
    double longestNs = 0;
    for (const auto &group : groups) {
        double chainNs = 0;
        for (const KernelNeeds *needs : group) {
            chainNs += needs->chainNs;
            sum.hostNs += needs->hostNs;
            sum.largestHostNs = std::max(sum.largestHostNs, needs->largestHostNs);
            sum.smNs += needs->smNs;
            sum.dramNs += needs->dramNs;
            sum.l2Ns += needs->l2Ns;
        }
        longestNs = std::max(longestNs, chainNs);
    }
    // Time starts when the first launch has reached the device, so one launch is free.
    const double hostNs = sum.hostNs - sum.largestHostNs + limits.rampNs;
    const double sharedNs = limits.rampNs + std::max({sum.smNs, sum.dramNs, sum.l2Ns});
    return std::max({hostNs, longestNs, sharedNs});
}

} // namespace stagecraft
