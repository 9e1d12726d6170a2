#pragma once

// The fit behind resources/devices/v100.json: five constants, none per network, chosen so that the sample network's
// stages and the Sequential and Greedy schedules of the main table come out as published. Everything else is
// prediction.
//
// Not fitted: what data sheets say; launch_us, gemm_efficiency and dram_efficiency, set from experience; and
// depthwise_efficiency, which hardly anything but NASNet determines and which is held at what a fit on all four
// networks gave. So a network that is left out is not wholly unknown to the fit: FittedConstants::DepthwiseToo says
// what comes out where it is.

#include "device/device.h"
#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "simulate/device_description.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct Target {
    std::string name;
    std::string network; // built-in name
    Schedule schedule;
    double publishedUs = 0;
    double weight = 1;
    bool synchronised = false; // the published number contains a synchronisation
};

enum class FittedConstants { Five, DepthwiseToo };

class Calibration {
public:
    explicit Calibration(FittedConstants fitted);

    struct Residual {
        const Target *target = nullptr;
        double error = 0; // simulated / published - 1
    };

    [[nodiscard]] std::vector<Residual> residuals(const DeviceDescription &device) const;

    // Pattern search from `start`: deterministic, and only locally the best. A network's targets can be left out.
    [[nodiscard]] DeviceDescription fit(const DeviceDescription &start, const std::string &without = {}) const;

    // Where a fit starts: round numbers from experience, the same every time.
    [[nodiscard]] DeviceDescription start(DeviceDescription device) const;

    // The constants it changes.
    [[nodiscard]] const std::vector<std::string> &constants() const { return m_constants; }

private:
    struct Network {
        std::string name;
        std::shared_ptr<const Graph> graph;
        Blocks blocks;
    };

    void addResiduals(const Network &network, const Device &device, std::vector<Residual> &residuals) const;
    // Infinite once it reaches `limit`.
    [[nodiscard]] double cost(const DeviceDescription &device, const std::string &without, double limit) const;

    std::vector<std::string> m_constants;
    std::vector<Network> m_networks; // the smallest first
    std::vector<Target> m_targets;
};

} // namespace stagecraft
