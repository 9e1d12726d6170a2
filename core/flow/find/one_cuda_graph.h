#pragma once

// The other baseline of a simulated device that launches from the host: one operator at a time, too, but from one CUDA
// graph, so that no host slows it down.

#include "device/device.h"
#include "model/model.h"

#include <optional>
#include <stop_token>
#include <string>

namespace stagecraft {

struct OneCudaGraph {
    std::string device; // "sim:v100:graph"
    double latencyUs = 0;
};

// "Sequential, one CUDA graph", as the command line and its tables call it.
inline constexpr const char *kOneCudaGraph = "Sequential, one CUDA graph";

// Empty where the device does not launch from the host, or its description does not know CUDA graphs. Errors: those of
// simulating.
[[nodiscard]] Result<std::optional<OneCudaGraph>> sequentialInOneCudaGraph(const Model &model, const DeviceInfo &device,
                                                                           const std::stop_token &stop);

} // namespace stagecraft
