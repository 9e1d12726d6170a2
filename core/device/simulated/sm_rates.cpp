#include "device/simulated/sm_rates.h"

#include <algorithm>

namespace stagecraft {

namespace {

const Kernel &kernelOf(std::span<const Launch> launches, int launch)
{
    return *launches[static_cast<std::size_t>(launch)].kernel;
}

// Of one block whose warps have so much of an SM's throughput each.
double blocksPerNs(const Kernel &kernel, double throughputPerWarp)
{
    return 1 / (kernel.smNsPerBlock / (throughputPerWarp * kernel.warpsPerBlock()) + kernel.latencyNsPerBlock);
}

// For an SM with this number of warps. The first warps add most, and each further one adds less until the SM is
// saturated: a parabola that is flat at the saturation point.
double throughputPerWarp(const SmLimits &limits, double warps)
{
    const double saturating = limits.saturatingWarps;
    return warps >= saturating ? 1 / warps : (2 - warps / saturating) / saturating;
}

} // namespace

void SmRates::begin(std::size_t launches)
{
    m_shares.assign(launches, {});
    m_active.clear();
}

void SmRates::compute(const SmLimits &limits, std::span<const Launch> launches, std::vector<SmClass> &classes)
{
    for (const int launch : m_active)
        share(launch).warpShare = share(launch).demand = 0;
    for (SmClass &sms : classes) {
        const double perWarp = throughputPerWarp(limits, sms.residentWarps);
        for (int i = 0; i < sms.cohortCount; ++i) {
            Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
            const Kernel &is = kernelOf(launches, cohort.launch);
            cohort.rate = blocksPerNs(is, perWarp);
            const double blocks = static_cast<double>(sms.sms) * cohort.blocks;
            share(cohort.launch).warpShare += blocks * is.warpsPerBlock();
            share(cohort.launch).demand += blocks * cohort.rate;
        }
    }
    for (const int launch : m_active)
        share(launch).slowdown = 1;
    shareBandwidth(launches, limits.dramBytesPerNs, &Kernel::dramBytesPerBlock);
    shareBandwidth(launches, limits.l2BytesPerNs, &Kernel::l2BytesPerBlock);
    for (SmClass &sms : classes)
        handOnUnused(limits, launches, sms);
}

// Max-min fair by resident warps: a launch that needs less than its share leaves the rest to the others.
void SmRates::shareBandwidth(std::span<const Launch> launches, double capacity, double Kernel::*bytesPerBlock)
{
    double wanted = 0;
    double weight = 0;
    for (const int launch : m_active) {
        wanted += share(launch).demand * (kernelOf(launches, launch).*bytesPerBlock);
        weight += share(launch).warpShare;
    }
    if (wanted <= capacity)
        return;
    const auto needPerWarp = [&](int launch) {
        return share(launch).demand * (kernelOf(launches, launch).*bytesPerBlock) / share(launch).warpShare;
    };
    m_byNeed = m_active;
    std::ranges::sort(m_byNeed, [&](int a, int b) {
        const double left = needPerWarp(a);
        const double right = needPerWarp(b);
        return left != right ? left < right : a < b;
    });
    double leftOver = capacity;
    for (const int launch : m_byNeed) {
        Share &of = share(launch);
        const double need = of.demand * (kernelOf(launches, launch).*bytesPerBlock);
        const double fair = leftOver * of.warpShare / weight;
        if (need > fair)
            of.slowdown = std::min(of.slowdown, fair / need);
        leftOver -= std::min(need, fair);
        weight -= of.warpShare;
    }
}

// Slows cohorts that wait for memory and gives their unused throughput to the others on the SM, as far as their warps
// can use it.
void SmRates::handOnUnused(const SmLimits &limits, std::span<const Launch> launches, SmClass &sms)
{
    double unused = 0;
    double hungryWarps = 0;
    for (int i = 0; i < sms.cohortCount; ++i) {
        Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
        const Kernel &is = kernelOf(launches, cohort.launch);
        const double slowdown = share(cohort.launch).slowdown;
        if (slowdown < 1) {
            unused += (1 - slowdown) * cohort.rate * is.smNsPerBlock * cohort.blocks;
            cohort.rate *= slowdown;
        } else {
            hungryWarps += cohort.blocks * is.warpsPerBlock();
        }
    }
    if (unused <= 0 || hungryWarps <= 0)
        return;
    for (int i = 0; i < sms.cohortCount; ++i) {
        Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
        const Kernel &is = kernelOf(launches, cohort.launch);
        if (share(cohort.launch).slowdown < 1)
            continue;
        const double own = blocksPerNs(is, throughputPerWarp(limits, hungryWarps));
        const double more = cohort.rate + unused * is.warpsPerBlock() / hungryWarps / is.smNsPerBlock;
        cohort.rate = std::max(cohort.rate, std::min(own, more));
    }
}

DeviceSample sampleOf(double nowNs, std::span<const Launch> launches, std::span<const SmClass> classes)
{
    DeviceSample now;
    now.fromNs = nowNs;
    for (const SmClass &sms : classes) {
        now.activeWarps += static_cast<double>(sms.sms) * sms.residentWarps;
        now.busySms += sms.cohortCount > 0 ? sms.sms : 0;
        for (int i = 0; i < sms.cohortCount; ++i) {
            const Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
            const Kernel &is = kernelOf(launches, cohort.launch);
            const double blocksPerNs = static_cast<double>(sms.sms) * cohort.blocks * cohort.rate;
            now.flopsPerNs += blocksPerNs * is.flops / static_cast<double>(is.blocks());
            now.dramBytesPerNs += blocksPerNs * is.dramBytesPerBlock;
        }
    }
    return now;
}

} // namespace stagecraft
