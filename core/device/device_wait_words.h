#pragma once

// Waiting for a device, in words.

#include "device/device.h"

#include <string>

namespace stagecraft {

// For whom or what: "stagecraft-cli optimize nasnet (process 1234)", "another measurement of this program", "another
// program", or the reason.
[[nodiscard]] std::string holderText(const DeviceWait &wait);

// "12 s", "3 min".
[[nodiscard]] std::string waitedText(double seconds);

// "waiting for cpu: another program measures on it". From ten seconds on with the time so far, in steps that grow:
// "waiting for cpu, 40 s so far: ...".
[[nodiscard]] std::string waitText(const DeviceWait &wait);

} // namespace stagecraft
