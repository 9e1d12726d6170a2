#pragma once

// A session that asks the latency store first and stores what it measures. A schedule as a whole is always measured;
// its stages come from the store if they can. If the store fails, measurements are returned all the same, and the error
// is reported once.
//
// A disturbed latency (timing/timing.h), new or stored, is measured once more when it is asked for, and the better one
// counts. After eight times in a row that did not help, the machine is busy: from then on only measured schedules have
// their disturbed stages measured again (measureSchedule; after a search, on the schedule it found), until a stage
// comes out undisturbed.

#include "device/device.h"
#include "measure/store/latency_store.h"

#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

using StoreErrorHandler = std::function<void(const Error &)>;

// That a store was damaged, of who opens it first.
void tellNotice(const LatencyStore &store, const StoreErrorHandler &onError);

[[nodiscard]] std::unique_ptr<DeviceSession> storedSession(std::unique_ptr<DeviceSession> session,
                                                           std::shared_ptr<const Graph> graph, const DeviceInfo &device,
                                                           LatencyStore store, StoreErrorHandler onError = {});

// The same for a device: its sessions use the store at `path`. A store that was damaged, or cannot be opened, is
// reported; the device works without it.
[[nodiscard]] std::unique_ptr<Device> storedDevice(std::unique_ptr<Device> device, std::string path,
                                                   StoreErrorHandler onError);

} // namespace stagecraft
