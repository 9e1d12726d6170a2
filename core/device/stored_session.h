#pragma once

// A session that asks the latency store first and keeps what it had to measure. Schedules as a whole are always
// measured; their stages come from the store where they can. An error of the store costs nothing but its memory: the
// measurement is handed on, and the error is reported once.
//
// A latency that is disturbed (support/timing.h), measured now or kept from before, is measured once more when it is
// asked for, and the better one counts. Where that did not help eight times in a row the machine is busy, and only
// schedules that are measured have their disturbed stages measured again (measureSchedule, after a search that is the
// one it found) until one is fine again.

#include "device/device.h"
#include "device/latency_store.h"

#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

using StoreErrorHandler = std::function<void(const Error &)>;

[[nodiscard]] std::unique_ptr<DeviceSession> storedSession(std::unique_ptr<DeviceSession> session,
                                                           std::shared_ptr<const Graph> graph, const DeviceInfo &device,
                                                           LatencyStore store, StoreErrorHandler onError = {});

// The same for a whole device: its sessions use the store at `path`. A store that was damaged and set aside, or cannot
// be opened, is reported; the device works without it.
[[nodiscard]] std::unique_ptr<Device> storedDevice(std::unique_ptr<Device> device, std::string path,
                                                   StoreErrorHandler onError);

} // namespace stagecraft
