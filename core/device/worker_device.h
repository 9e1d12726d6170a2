#pragma once

// A device that lives in a stagecraft-worker process. A crash or a stuck kernel there costs one measurement: the stage
// that caused it is reported by name, counts as unavailable from then on, and the next request gets a new worker.

#include "device/device.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

struct WorkerOptions {
    std::vector<std::string> command; // the worker program and its arguments
    std::chrono::milliseconds stageDeadline{60'000};
    std::chrono::milliseconds longDeadline{600'000}; // whole schedules, timelines, execution, opening a graph
    std::chrono::milliseconds silence{5000};         // without a heartbeat
    // For people, maybe again and again: that the worker waits for its turn on the device, or that it takes none.
    std::function<void(const std::string &)> tell{};
};

// The device with this id in the worker. Asks a worker for its description at once: where none can be had, the device
// is there but not available, with the reason.
[[nodiscard]] std::unique_ptr<Device> makeWorkerDevice(const std::string &deviceId, const WorkerOptions &options);

// What the worker has, available or not.
[[nodiscard]] Result<std::vector<DeviceInfo>> listWorkerDevices(const WorkerOptions &options);

} // namespace stagecraft
