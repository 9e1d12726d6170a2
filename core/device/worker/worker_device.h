#pragma once

// A device in a stagecraft-worker process, of this machine or another one. A worker that crashes, is killed or hangs is
// replaced, and the new one gets the same request. A stage that all of them fail at is reported by name and unavailable
// from then on. A worker that is stopped, or gets no processor time on a loaded machine, is waited for
// (worker_watchdog.h). A connection that is lost is made again, and what was asked for is asked again; after some tries
// the device is gone.

#include "device/device.h"
#include "device/worker/python_statements.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {
namespace worker {
class Transport;
}

struct WorkerOptions {
    std::vector<std::string> command; // the worker program and its arguments; not with a transport
    std::chrono::milliseconds stageDeadline{60'000};
    std::chrono::milliseconds longDeadline{600'000}; // whole schedules, timelines, execution, opening a graph
    std::chrono::milliseconds silence{5000};         // without a heartbeat
    // Messages for a person, possibly repeated: the worker uses the device without a lock, was stopped, or was lost.
    std::function<void(const std::string &)> tell{};
    Device::Waiting onWaiting{}; // of devices that have no listener of their own
    std::string howToGet = "install stagecraft-worker next to the program"; // if it cannot be started
    std::optional<PythonMaker> python{};                                    // for a worker that computes with PyTorch
    // To the worker of another machine, which gets weights by their hash.
    std::shared_ptr<const worker::Transport> transport{};
    bool makesWeights = false; // at random, there: nothing can be run
    // False: a device whose connection is lost is gone, since who opened its session opens another one.
    bool isConnectedAgain = true;
};

// The device with this id in the worker; `shownId`: what it is called here, if that is something else. Asks a worker
// for its description at once: if that fails, the device is listed as unavailable, with the reason. A stop of the
// thread (support/stop_here.h) ends that and opening: Cancelled.
[[nodiscard]] std::unique_ptr<Device> makeWorkerDevice(const std::string &deviceId, const WorkerOptions &options,
                                                       const std::string &shownId = {});

// All devices of the worker, available or not.
[[nodiscard]] Result<std::vector<DeviceInfo>> listWorkerDevices(const WorkerOptions &options,
                                                                const std::stop_token &stop = {});

} // namespace stagecraft
