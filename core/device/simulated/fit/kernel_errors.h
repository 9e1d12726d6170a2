#pragma once

// How far simulated times of kernels are from the measured ones.

#include "device/simulated/device_judgement.h"
#include "device/simulated/fit/measured_kernels.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct SimulatedKernel {
    MeasuredKernel kernel;
    double simulatedUs = 0;

    [[nodiscard]] double ratio() const { return simulatedUs / kernel.us; }
    [[nodiscard]] double error() const { return ratio() - 1; } // signed
};

struct KernelErrors {
    std::int64_t kernels = 0;
    double medianError = 0; // of absolute errors
    double meanError = 0;
    double lowestRatio = 0; // simulated / measured
    double highestRatio = 0;
};

[[nodiscard]] KernelErrors errorsOf(std::span<const SimulatedKernel> kernels);

// Kernels by what `groupOf` says of them, in the order in which groups first occur.
struct KernelGroup {
    std::string name;
    std::vector<SimulatedKernel> kernels;
};
[[nodiscard]] std::vector<KernelGroup> groupedBy(std::string (*groupOf)(const MeasuredKernel &),
                                                 std::span<const SimulatedKernel> kernels);

// `files`: what a device file calls them. `precision`: "fp32".
[[nodiscard]] DeviceJudgement judgementBy(std::span<const SimulatedKernel> kernels, std::string precision,
                                          std::string files, bool isOnLeftOut);

} // namespace stagecraft
