#pragma once

// A simulated GPU that hides its bounds and shows only what a real one would: latencies of stages, and one traced and
// sampled run of Sequential. Bounds follow from these: the kernels of a group run one after another, and the SMs and
// the memory do the work of all groups.

#include "device/device.h"
#include "device/simulated/device_description.h"
#include "device/simulated/stage_bound.h"
#include "schedule/stage_latency_source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace stagecraft {

struct ObservedParts {
    bool groups = false;    // time alone, summed over the longest group
    bool activeSms = false; // time of SMs with any warp, over their number
    bool warps = false;     // the same, counted in full only where as many warps were resident as saturate an SM
    bool dram = false;      // bytes over the bandwidth that streaming reaches
    bool launches = false;  // host time (none in CUDA graphs)
    bool ordered = false;   // all but active SMs, each with what is before and after it: device/simulated/stage_bound.h
    bool hostOrder = false; // the same of groups and launches alone
};

class ObservedBounds : public StageLatencySource {
public:
    // `sequential`: of the graph, on which the session is open. Answers take as long as thinking that pays off.
    ObservedBounds(std::unique_ptr<DeviceSession> session, const DeviceDescription &device, const Graph &graph,
                   const TimedSchedule &sequential, ObservedParts parts);

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    double lowerBoundUs(const Stage &stage) const override;
    std::vector<double> sharesUs(OperatorId id) const override;

    // How each bound compares with the stages that were measured.
    struct Check {
        const char *what = "";
        std::int64_t stages = 0; // of several groups, or operators: a bound on one operator is its own latency
        std::int64_t broken = 0; // the bound exceeded the latency
        double worst = 0;        // by this share
        double tightness = 0;    // mean of bound over latency
    };
    [[nodiscard]] std::vector<Check> checks() const;

private:
    struct Needs {
        double aloneUs = 0;
        double smUs = 0;
        double warpsUs = 0; // smUs, less what another kernel could use of these SMs
        double dramUs = 0;
        double hostUs = 0;
        std::vector<KernelNeeds> kernels; // in the order of their launches
        std::vector<KernelNeeds> chain;   // the same without the work of SMs and memory
    };

    [[nodiscard]] std::vector<std::vector<OperatorId>> launchOrder(const Stage &stage) const;
    [[nodiscard]] std::vector<double> boundsUs(const Stage &stage) const; // in the order of ObservedParts

    std::unique_ptr<DeviceSession> m_session;
    SmLimits m_limits;
    std::vector<Needs> m_needs;       // by operator
    std::vector<std::size_t> m_class; // by operator: equal for equal kernels; the device launches by it
    ObservedParts m_parts;
    const Graph &m_graph;
    std::vector<Check> m_checks;
};

} // namespace stagecraft
