#pragma once

// What the latency store knows of a device, without a session of the device. Waits for the file, so not for the UI
// thread.

#include "device/device.h"
#include "measure/known_timings.h"
#include "support/result.h"

#include <cstdint>
#include <string>

namespace stagecraft {

// Every latency of the device at this batch. Nothing where the device stores none, or the path is empty or without a
// file: looking creates no store. Errors: the store's.
[[nodiscard]] Result<KnownTimings::Stored> storedLatencies(const std::string &path, const DeviceInfo &device,
                                                           std::int64_t batch);

} // namespace stagecraft
