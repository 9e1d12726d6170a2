#pragma once

// A device that lives in a stagecraft-worker process. A worker that crashes, is killed or gets stuck is replaced, and
// the new one asked the same again. A stage that costs each of them is reported by name and counts as unavailable from
// then on. A worker that is stopped, or gets no time on a loaded machine, is waited for (worker_watchdog.h).

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
    // For people, maybe again and again: that the worker waits for the device, or that it takes none, that
    // it was stopped, or lost.
    std::function<void(const std::string &)> tell{};
};

// The device with this id in the worker. Asks a worker for its description at once: where none can be had, the device
// is there but not available, with the reason.
[[nodiscard]] std::unique_ptr<Device> makeWorkerDevice(const std::string &deviceId, const WorkerOptions &options);

// What the worker has, available or not.
[[nodiscard]] Result<std::vector<DeviceInfo>> listWorkerDevices(const WorkerOptions &options);

} // namespace stagecraft
