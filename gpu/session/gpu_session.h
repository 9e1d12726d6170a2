#pragma once

// A graph opened on a GPU.

#include "device/device.h"
#include "gpu/device/clocks.h"
#include "gpu/plan/gpu_options.h"

#include <memory>

namespace stagecraft::gpu {

// `busId`: the GPU's PCI bus id in CUDA's form. DeviceFailed if the GPU, cuDNN or the kernel compiler does not start.
[[nodiscard]] Result<std::unique_ptr<DeviceSession>> openGpuSession(std::shared_ptr<const Graph> graph,
                                                                    const GpuOptions &options, const DeviceInfo &info,
                                                                    Clocks clocks, std::string busId);

} // namespace stagecraft::gpu
