#pragma once

// Answers requests from one descriptor with replies on another. Works on one request at a time, in its own thread, so
// that cancels are received and heartbeats sent meanwhile.

#include "device/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::worker {

// The device with an id; WrongUse for an unknown one.
using DeviceSource = std::function<Result<std::unique_ptr<Device>>(const std::string &)>;

// All devices, available or not.
using DeviceLister = std::function<std::vector<DeviceInfo>()>;

// Runs until the input ends. Returns the exit status of the process.
[[nodiscard]] int serve(int input, int output, const DeviceSource &devices, const DeviceLister &list = {});

} // namespace stagecraft::worker
