#pragma once

// Opens files of measured kernels: tables of comma-separated values (device/simulated/fit/measured_kernels.h), and
// profiles whose program wrote down shapes (flow/fit/profile_kernels.h). Which of them is recognised.

#include "device/simulated/fit/measured_kernels.h"
#include "support/result.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// Errors: InvalidInput, naming the file, the line and the reason; Cancelled.
[[nodiscard]] Result<std::vector<MeasuredKernel>> openKernels(const std::string &path,
                                                              const std::stop_token &stop = {});

} // namespace stagecraft
