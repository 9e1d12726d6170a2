#pragma once

// Devices of machines that ssh or Slurm reach (device/worker/transports/elsewhere.h). What runs there is
// stagecraft-worker, or what STAGECRAFT_REMOTE_WORKER names.

#include "device/worker/worker_device.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// "ssh:gpu1": a machine without one of its devices.
[[nodiscard]] bool isPlaceElsewhere(std::string_view id);

// `options`: of workers on this machine. WrongUse: a place or a device that is written wrongly. One that cannot be
// reached is unavailable, with the reason.
[[nodiscard]] Result<std::unique_ptr<Device>> findDeviceElsewhere(const std::string &id, WorkerOptions options);

// All devices of a place, with the ids that they have here. The same errors; DeviceFailed: it cannot be reached.
[[nodiscard]] Result<std::vector<DeviceInfo>>
listDevicesElsewhere(const std::string &where, const WorkerOptions &options, const std::stop_token &stop);

} // namespace stagecraft
