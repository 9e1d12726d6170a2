#pragma once

// Of which graphs PyTorch computed the outputs that cpu computes, kept in the latency store: a comparison runs the
// whole network on both. What it depends on is the key: versions and machine (the fingerprint), and everything that the
// worker is sent to compute, weights included.

#include "device/checked_device.h"

#include <string>

namespace stagecraft {

// Adds what remembers equal outputs of the device. Without a store that opens, all is compared.
void rememberEqualOutputs(OutputCheck &check, const DeviceInfo &device, const std::string &storePath);

} // namespace stagecraft
