#pragma once

// Where the engines that tuning chose are kept, beside the compiled kernels: a file per device, driver, version of
// cuDNN, precision, layout and our own kernels. Modes and schedules share it.

#include "device/device.h"
#include "gpu/plan/gpu_options.h"
#include "gpu/plan/tuned_conv_file.h"

#include <filesystem>
#include <memory>
#include <string>

namespace stagecraft::gpu {

// What the choice of an engine depends on besides the convolution. `kernels`: names the version of our own kernels.
[[nodiscard]] std::string engineFingerprint(const DeviceInfo &info, const GpuOptions &options,
                                            const std::string &kernels);

// In the cache folder (support/user_folders.h); keeps nothing if there is none. Throws Failure.
[[nodiscard]] std::shared_ptr<TunedConvFile> engineMemory(const DeviceInfo &info, const GpuOptions &options);

} // namespace stagecraft::gpu
