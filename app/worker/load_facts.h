#pragma once

// How busy this machine is, for people who choose a device of it from elsewhere.

#include "device/device.h"

#include <vector>

namespace stagecraft::worker {

// Adds the facts "load" (of the processors, over the last minute) and "in use by" (the program that measures on the
// same hardware now) to devices that are available. They are no part of a fingerprint.
void addLoad(std::vector<stagecraft::DeviceInfo> &devices);

} // namespace stagecraft::worker
