#include "device/simulated/stage_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stagecraft {

namespace {

// The maximum, over sets of kernels with at least `head` before and `tail` after each, of earliest start + work +
// shortest rest.
double oneMachineNs(std::span<const double> heads, std::span<const double> tails, std::span<const double> work)
{
    thread_local std::vector<std::size_t> byTail, byHead;
    byTail.resize(heads.size());
    byHead.resize(heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i)
        byTail[i] = byHead[i] = i;
    std::ranges::sort(byTail, std::greater{}, [&](std::size_t i) { return tails[i]; });
    std::ranges::sort(byHead, {}, [&](std::size_t i) { return heads[i]; });
    double bound = 0;
    for (const std::size_t first : byHead) {
        double sum = 0;
        for (const std::size_t i : byTail) {
            if (heads[i] < heads[first])
                continue;
            sum += work[i];
            bound = std::max(bound, heads[first] + sum + tails[i]);
        }
    }
    return bound;
}

} // namespace

double leastKernelNs(const Kernel &kernel, const SmLimits &limits)
{
    const auto blocks = static_cast<double>(kernel.blocks());
    const double warps = kernel.warpsPerBlock();
    const double saturation = std::min(1.0, warps / limits.saturatingWarps);
    const double blockNs = kernel.smNsPerBlock / (saturation * (2 - saturation)) + kernel.latencyNsPerBlock;
    return std::max({blockNs, blocks * kernel.smNsPerBlock / limits.smCount,
                     blocks * kernel.dramBytesPerBlock / limits.dramBytesPerNs,
                     blocks * kernel.l2BytesPerBlock / limits.l2BytesPerNs});
}

std::vector<KernelNeeds> needsOf(std::span<const Kernel> kernels, const DeviceDescription &device,
                                 const SmLimits &limits)
{
    std::vector<KernelNeeds> result;
    for (const Kernel &kernel : kernels) {
        const auto blocks = static_cast<double>(kernel.blocks());
        KernelNeeds needs;
        needs.hostNs = 1000 * (device.launchUs + (kernel.cudnnCall ? device.cudnnCallUs : 0));
        needs.aloneNs = leastKernelNs(kernel, limits);
        needs.smNs = blocks * kernel.smNsPerBlock / limits.smCount;
        needs.dramNs = blocks * kernel.dramBytesPerBlock / limits.dramBytesPerNs;
        needs.l2Ns = blocks * kernel.l2BytesPerBlock / limits.l2BytesPerNs;
        result.push_back(needs);
    }
    return result;
}

double stageBoundNs(std::span<const BoundLaunch> launches, const SmLimits &limits)
{
    const std::size_t count = launches.size();
    thread_local std::vector<double> heads, tails, sm, dram, l2, ends;
    heads.assign(count, 0);
    tails.assign(count, 0);
    sm.resize(count);
    dram.resize(count);
    l2.resize(count);
    std::size_t streams = 0;
    for (const BoundLaunch &launch : launches)
        streams = std::max(streams, launch.stream + 1);
    ends.assign(streams, 0);
    double arrivalNs = 0; // time starts when the first launch reaches the device
    double bound = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const KernelNeeds &needs = *launches[i].needs;
        arrivalNs += i == 0 ? 0 : needs.hostNs;
        heads[i] = std::max(arrivalNs, ends[launches[i].stream]) + limits.rampNs;
        ends[launches[i].stream] = heads[i] + needs.aloneNs;
        bound = std::max(bound, ends[launches[i].stream]);
        sm[i] = needs.smNs;
        dram[i] = needs.dramNs;
        l2[i] = needs.l2Ns;
    }
    ends.assign(streams, 0);
    for (std::size_t i = count; i-- > 0;) {
        tails[i] = ends[launches[i].stream];
        ends[launches[i].stream] += limits.rampNs + launches[i].needs->aloneNs;
    }
    return std::max(
        {bound, oneMachineNs(heads, tails, sm), oneMachineNs(heads, tails, dram), oneMachineNs(heads, tails, l2)});
}

double graphBoundNs(const Graph &graph, std::span<const std::vector<KernelNeeds> *const> needs, const SmLimits &limits)
{
    const std::size_t count = graph.size();
    std::vector<double> ownNs(count, 0), before(count, 0), after(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        for (const KernelNeeds &kernel : *needs[i])
            ownNs[i] += limits.rampNs + kernel.aloneNs;
        for (const OperatorId id : graph.predecessors(OperatorId::fromIndex(i)))
            before[i] = std::max(before[i], before[id.index()] + ownNs[id.index()]);
    }
    for (std::size_t i = count; i-- > 0;) {
        for (const OperatorId id : graph.successors(OperatorId::fromIndex(i)))
            after[i] = std::max(after[i], after[id.index()] + ownNs[id.index()]);
    }
    std::vector<double> heads, tails, sm, dram, l2;
    double pathNs = 0;
    double hostNs = 0;
    double longestHostNs = 0; // time starts when the first launch reaches the device
    for (std::size_t i = 0; i < count; ++i) {
        double startNs = before[i];
        double leftNs = ownNs[i] + after[i];
        pathNs = std::max(pathNs, startNs + leftNs);
        for (const KernelNeeds &kernel : *needs[i]) {
            startNs += limits.rampNs;
            leftNs -= limits.rampNs + kernel.aloneNs;
            heads.push_back(startNs);
            tails.push_back(leftNs);
            startNs += kernel.aloneNs;
            sm.push_back(kernel.smNs);
            dram.push_back(kernel.dramNs);
            l2.push_back(kernel.l2Ns);
            hostNs += kernel.hostNs;
            longestHostNs = std::max(longestHostNs, kernel.hostNs);
        }
    }
    const double boundNs = std::max({pathNs, hostNs - longestHostNs, oneMachineNs(heads, tails, sm),
                                     oneMachineNs(heads, tails, dram), oneMachineNs(heads, tails, l2)});
    constexpr double kRoundingNs = 0.5; // latencies of stages are whole nanoseconds
    return std::max(0.0, std::floor(boundNs - kRoundingNs * static_cast<double>(count)));
}

StageShares stageSharesNs(std::span<const KernelNeeds> kernels, const DeviceDescription &device, const SmLimits &limits)
{
    constexpr double kRoundingNs = 0.5; // latencies are whole nanoseconds
    StageShares shares{};
    for (const KernelNeeds &needs : kernels) {
        shares[0] += needs.hostNs;
        shares[1] += needs.smNs;
        shares[2] += needs.dramNs;
        shares[3] += needs.l2Ns;
    }
    // Concurrent groups do not wait for the first launch, only for the ramp of the last one; they have at least two
    // operators.
    const double longestLaunchNs = 1000 * (device.launchUs + device.cudnnCallUs);
    shares[0] -= std::max(0.0, longestLaunchNs - limits.rampNs) / 2;
    for (double &share : shares)
        share -= kRoundingNs;
    return shares;
}

} // namespace stagecraft
