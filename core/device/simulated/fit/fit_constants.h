#pragma once

// Fits the calibrated constants of a device description to measured kernels, and judges the result by kernels that were
// left out: they are dealt into folds, each family over all of them and equal kernels together, and each fold is
// simulated by a device that was fitted to the others.
//
// The loss of a kernel is that of Charbonnier on log(simulated / measured): quadratic up to some 10 %, then linear, so
// that a kernel that no constant explains does not bend the others. A weak pull holds constants that the kernels hardly
// tell near those of the base; constants that change no kernel (of the host, of barriers) stay. The search is that of
// Hooke and Jeeves (J. ACM 8, 1961) on the logarithms of constants: without derivatives, deterministic, and it finds a
// local optimum only.

#include "device/simulated/device_description.h"
#include "device/simulated/fit/kernel_errors.h"
#include "device/simulated/fit/kernel_simulation.h"
#include "support/result.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct FitOptions {
    int folds = 5;              // at least 2
    bool keepConstants = false; // those of the base are judged as they are, by all kernels; nothing is fitted
};

struct FittedConstant {
    std::string key;
    double from = 0;
    double to = 0;
};

struct FittedConstants {
    DeviceDescription device;              // the base with the constants that all kernels give; judged by nothing yet
    std::vector<FittedConstant> constants; // that were fitted
    std::vector<SimulatedKernel> kernels;  // each as it was left out; in the order given
};

// Called on the calling thread, with what is being done and the share that is done, 0 to 1.
using FitProgress = std::function<void(const std::string &what, double done)>;

// Uses all processors. Errors: InvalidInput: there are fewer different kernels than folds; Cancelled.
[[nodiscard]] Result<FittedConstants> fitConstants(const KernelSimulation &kernels, const DeviceDescription &base,
                                                   const FitOptions &options, const FitProgress &progress = {},
                                                   const std::stop_token &stop = {});

} // namespace stagecraft
