#pragma once

// The fit behind resources/devices/v100.json: four constants, none specific to a network, chosen to match the published
// stages of the sample network and the Sequential and Greedy schedules of the main table. Every other latency of
// networks is prediction.
//
// Not fitted here: values from data sheets; what single kernels determine, chosen by the V100's 254 kernels of
// DeepBench in float32 and as many in float16 (block_latency_us, gemm_efficiency, conv_efficiency,
// tensor_conv_efficiency); launch_us and dram_efficiency, set from experience; barrier_us, which these figures hardly
// determine and which stays as an earlier fit gave it; and depthwise_efficiency, which is determined almost only by
// NASNet and is fixed at the value of a fit on all four networks. So a network that is left out is not entirely unknown
// to the fit: FittedConstants::DepthwiseToo gives the result if it is.

#include "device/device.h"
#include "device/simulated/device_description.h"
#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct Target {
    std::string name;
    std::string network; // built-in name
    TimedSchedule schedule;
    double publishedUs = 0;
    double weight = 1;
    bool synchronised = false; // the published number contains a synchronisation
};

enum class FittedConstants { Four, DepthwiseToo };

class Calibration {
public:
    explicit Calibration(FittedConstants fitted);

    struct Residual {
        const Target *target = nullptr;
        double error = 0; // simulated / published - 1
    };

    [[nodiscard]] std::vector<Residual> residuals(const DeviceDescription &device) const;

    // Pattern search from `start`: deterministic, finds a local optimum only. Can leave out a network's targets.
    [[nodiscard]] DeviceDescription fit(const DeviceDescription &start, const std::string &without = {}) const;

    // The start of a fit: round numbers from experience, always the same.
    [[nodiscard]] DeviceDescription start(DeviceDescription device) const;

    // The constants that the fit changes.
    [[nodiscard]] const std::vector<std::string> &constants() const { return m_constants; }

private:
    struct Network {
        std::string name;
        std::shared_ptr<const Graph> graph;
        Blocks blocks;
    };

    void addResiduals(const Network &network, const Device &device, std::vector<Residual> &residuals) const;
    // Infinity once it reaches `limit`.
    [[nodiscard]] double cost(const DeviceDescription &device, const std::string &without, double limit) const;

    std::vector<std::string> m_constants;
    std::vector<Network> m_networks; // smallest first
    std::vector<Target> m_targets;
};

} // namespace stagecraft
