#pragma once

// Simulated GPUs as devices: `sim:<name>`. A stage's latency depends only on the stage (its kernels, groups and their
// order); the same stage has the same latency to the last bit, on any machine. Latencies are whole nanoseconds. A
// session remembers the stages it has simulated. It computes no outputs.

#include "device/device.h"
#include "device/simulated/device_description.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// A built-in name ("v100") or the path of a description file, with options and changes (simulated_options.h).
[[nodiscard]] Result<std::unique_ptr<Device>> openSimulatedDevice(const std::string &nameOrPath);

// A device from a description, for what-if questions.
[[nodiscard]] std::unique_ptr<Device> makeSimulatedDevice(DeviceDescription description);

// No schedule of the graph takes less on the device, even without barriers between its stages, if every operator
// launches its own kernels: not one that merges convolutions.
[[nodiscard]] Result<double> boundWithoutBarriersUs(const std::string &nameOrPath, std::shared_ptr<const Graph> graph);

[[nodiscard]] std::vector<DeviceInfo> listSimulatedDevices();

} // namespace stagecraft
