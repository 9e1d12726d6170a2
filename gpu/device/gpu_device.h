#pragma once

// The GPU devices of this machine. Everything is computed and measured for real, in one process and on one thread; a
// GPU that broke (an illegal address) makes its sessions unusable until the process ends.

#include "device/device.h"
#include "gpu/plan/gpu_options.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::gpu {

// Each GPU as it is by default and in its other forms (streams, tf32, fp16); where there is none, one for gpu:0 that is
// unavailable and says why and what to do.
[[nodiscard]] std::vector<DeviceInfo> listGpus();

// By id with options. WrongUse for an unknown option. A GPU that is not there is a device that is not available.
[[nodiscard]] Result<std::unique_ptr<Device>> makeGpuDevice(const std::string &id);

// Why code is no GPU, and the remedy, in one sentence each: `code` as cudaGetDeviceCount returns it.
[[nodiscard]] std::string unavailableText(int code, int driverVersion, int runtimeVersion);

// Through how many hardware queues streams reach the GPU, as the environment asks for (CUDA_DEVICE_MAX_CONNECTIONS):
// with fewer than a stage has groups, groups wait for each other.
[[nodiscard]] std::string workQueuesText();

} // namespace stagecraft::gpu
