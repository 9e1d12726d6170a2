#pragma once

// What a device description says about its error on kernels that were measured on the device it stands for.

#include "timing/simulation_error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

// Kernels of one family (fit/measured_kernels.h). Errors as in SimulationError.
struct FamilyError {
    std::string family;
    std::int64_t kernels = 0;
    double medianError = 0;
    double meanError = 0;

    friend bool operator==(const FamilyError &, const FamilyError &) = default;
};

struct DeviceJudgement {
    SimulationError error;
    std::string files; // "v100_fp32.csv"
    std::vector<FamilyError> families;

    friend bool operator==(const DeviceJudgement &, const DeviceJudgement &) = default;
};

} // namespace stagecraft
