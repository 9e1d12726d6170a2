#pragma once

// Answers the requests that come in on one descriptor with replies on another. One request is worked on at a time, on
// its own thread, so that cancels are heard and heartbeats sent meanwhile.

#include "device/device.h"

#include <functional>
#include <memory>
#include <string>

namespace stagecraft::worker {

// The device with an id; WrongUse for an unknown one.
using DeviceSource = std::function<Result<std::unique_ptr<Device>>(const std::string &)>;

// Until the input ends. Returns the exit status of the process.
[[nodiscard]] int serve(int input, int output, const DeviceSource &devices);

} // namespace stagecraft::worker
