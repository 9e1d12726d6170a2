#pragma once

// The module with the GPU devices, if this installation has one that can be loaded.

#include "device/device.h"

#include <string>
#include <vector>

namespace stagecraft::worker {

// The module's GPUs; without a module, a single unavailable gpu:0 with the reason and the remedy.
[[nodiscard]] std::vector<DeviceInfo> listGpus();

// By id, "gpu:0:tf32". Without a module: a device that is unavailable.
[[nodiscard]] Result<std::unique_ptr<Device>> gpuById(const std::string &id);

} // namespace stagecraft::worker
