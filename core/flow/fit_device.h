#pragma once

// Judges simulated devices by kernels that others measured, and fits their constants to such kernels.

#include "device/simulated/fit/fit_constants.h"
#include "device/simulated/fit/kernel_errors.h"
#include "operators/values/tensor.h"
#include "support/result.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// A simulated device and the precision in which kernels ran on it.
struct KernelDevice {
    DeviceDescription description;
    std::string id;                 // "sim:v100:fp16"
    std::string precision = "fp32"; // "fp16", "tf32", as options and the device say
    SimulatedRun run;
};

// "sim:v100", "sim:FILE.json:fp16" (device/simulated/simulated_options.h). Errors: WrongUse for what is not a simulated
// device or not an option; those of its file.
[[nodiscard]] Result<KernelDevice> kernelDevice(const std::string &id);

// The kernels of a file on the device. Errors: InvalidInput, naming the file; Cancelled.
[[nodiscard]] Result<std::vector<SimulatedKernel>> simulateKernels(const std::string &file, const KernelDevice &device,
                                                                   const std::stop_token &stop = {});

struct FitRequest {
    std::vector<std::string> files; // of measured kernels (flow/fit/open_kernels.h)
    KernelDevice base;
    FitOptions options;
};

struct FittedDevice {
    DeviceDescription device; // judged by the kernels that were left out
    std::vector<FittedConstant> constants;
    std::vector<SimulatedKernel> kernels; // each as it was left out
    DeviceJudgement judgement;
};

// Errors: InvalidInput, naming file, line and reason; Cancelled.
[[nodiscard]] Result<FittedDevice> fitDevice(const FitRequest &request, const FitProgress &progress = {},
                                             const std::stop_token &stop = {});

} // namespace stagecraft
