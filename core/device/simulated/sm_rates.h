#pragma once

// How fast blocks on SMs go beside each other: by their warps, and by the bandwidth of L2 and DRAM that all share. The
// rules are in block_scheduler.h. Private to what simulates blocks over time.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/sm_class.h"

#include <span>
#include <vector>

namespace stagecraft {

// Keeps its working memory between simulations.
class SmRates {
public:
    void begin(std::size_t launches); // none has blocks on an SM
    void add(int launch) { m_active.push_back(launch); }
    void remove(int launch) { std::erase(m_active, launch); }

    // Sets the rate of every cohort. `launches`: by the launch of a cohort; those added have blocks on an SM.
    void compute(const SmLimits &limits, std::span<const Launch> launches, std::vector<SmClass> &classes);

private:
    struct Share {
        double warpShare = 0; // resident warps, for sharing bandwidth
        double demand = 0;    // blocks per ns if only compute mattered
        double slowdown = 1;  // share of the demand that bandwidth allows
    };

    [[nodiscard]] Share &share(int launch) { return m_shares[static_cast<std::size_t>(launch)]; }
    void shareBandwidth(std::span<const Launch> launches, double capacity, double Kernel::*bytesPerBlock);
    void handOnUnused(const SmLimits &limits, std::span<const Launch> launches, SmClass &sms);

    std::vector<Share> m_shares; // by launch
    std::vector<int> m_active;   // launches with resident blocks
    std::vector<int> m_byNeed;   // scratch space of shareBandwidth
};

// What the device does at this moment.
[[nodiscard]] DeviceSample sampleOf(double nowNs, std::span<const Launch> launches, std::span<const SmClass> classes);

} // namespace stagecraft
