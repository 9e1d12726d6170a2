#pragma once

// Kernels of a device's own, whose tiles are parameters: what a search measures (flow/tune_kernels.h), and what
// sessions then run in place of the library's kernels.

#include "support/result.h"

#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

using KernelParameters = std::vector<int>;

// Parameters by the key of a kernel (TunableKernel); kernels that are not there are the library's.
using TunedKernels = std::map<std::string, KernelParameters>;

// One parameter of a kernel, and what it may be.
struct KernelAxis {
    std::string name; // "columns"
    std::vector<int> values;
};

// A convolution of a graph that the device's own kernels can compute. Equal ones have one key.
struct TunableKernel {
    std::string key; // all that its latency depends on besides the device: shapes, layouts, threads
    std::vector<std::string> operators;
    std::vector<KernelAxis> axes;
    std::vector<float> features; // for a learned model: the same numbers in the same order for every kernel
    double flops = 0;
};

// One choice of parameters against the library's kernel, in rounds of both.
struct KernelTrial {
    std::vector<double> tunedUs;   // by round
    std::vector<double> libraryUs; // likewise
    double difference = 0;         // largest difference of an output, over the largest output
};

// For devices with such kernels.
class KernelTuner {
public:
    virtual ~KernelTuner() = default;

    [[nodiscard]] virtual Result<std::vector<TunableKernel>> tunableKernels(std::stop_token stop) = 0;
    // InvalidInput: outputs differ by more than rounding. WrongUse: no such kernel or parameters.
    [[nodiscard]] virtual Result<KernelTrial> tryKernel(const std::string &key, const KernelParameters &parameters,
                                                        int rounds, std::stop_token stop) = 0;
};

} // namespace stagecraft
