#pragma once

// Kernels that others measured beside the simulation of each, by algorithm, with errors by family and size. Seconds.

#include "reproduction/reproduce.h"
#include "reproduction/reproduction.h"
#include "support/result.h"

#include <span>
#include <stop_token>
#include <string>

namespace stagecraft {

// `files`: tables of kernels and profiles (flow/fit/open_kernels.h). `deviceId`: a simulated device; ":fp16" behind it:
// the kernels ran in float16. Errors: WrongUse: another device; InvalidInput, naming the file; Cancelled.
[[nodiscard]] Result<Reproduction> reproduceKernels(std::span<const std::string> files, const std::string &deviceId,
                                                    const ReproduceProgress &progress = {}, std::stop_token stop = {});

} // namespace stagecraft
