#pragma once

// Every table and figure of the IOS paper, computed on a device and compared with the published numbers
// (reproduction/published_figures.h). About ten seconds on a simulated device.

#include "reproduction/reproduction.h"
#include "support/result.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace stagecraft {

inline constexpr std::string_view kPublishedDevice = "sim:v100"; // simulates the device that was measured

// Called on the calling thread before each part, with its name and the share that is done, 0 to 1.
using ReproduceProgress = std::function<void(const std::string &part, double done)>;

// Errors: those of finding the device and of its measurements; Cancelled.
[[nodiscard]] Result<Reproduction> reproduce(const std::string &deviceId, const ReproduceProgress &progress = {},
                                             std::stop_token stop = {});

} // namespace stagecraft
