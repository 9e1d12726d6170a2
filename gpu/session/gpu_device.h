#pragma once

// The GPU devices of this machine. Everything is really computed and measured, in one process and on one thread; a GPU
// that failed (an illegal address) makes its sessions unusable until the process ends.

#include "device/device.h"
#include "gpu/plan/gpu_options.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::gpu {

// Each GPU with default options and in its other forms (streams, tf32, fp16); without a GPU, one unavailable gpu:0 with
// the reason and the remedy.
[[nodiscard]] std::vector<DeviceInfo> listGpus();

// By id with options. WrongUse for an unknown option. For a missing GPU, a device that is unavailable.
[[nodiscard]] Result<std::unique_ptr<Device>> makeGpuDevice(const std::string &id);

// Why there is no GPU, and the remedy, in one sentence each. `code`: the result of cudaGetDeviceCount.
[[nodiscard]] std::string unavailableText(int code, int driverVersion, int runtimeVersion);

// The number of hardware queues through which streams reach the GPU, from the environment
// (CUDA_DEVICE_MAX_CONNECTIONS): if a stage has more groups, groups wait for each other.
[[nodiscard]] std::string workQueuesText();

} // namespace stagecraft::gpu
