#pragma once

// The module with the GPU devices, where this installation has one that can be loaded here.

#include "device/device.h"

#include <string>
#include <vector>

namespace stagecraft::worker {

// Of the module; without one, a single gpu:0 that is not available, with the reason and what to do.
[[nodiscard]] std::vector<DeviceInfo> listGpus();

// By id, "gpu:0:tf32". Where there is no module: a device that is not available.
[[nodiscard]] Result<std::unique_ptr<Device>> gpuById(const std::string &id);

} // namespace stagecraft::worker
