#pragma once

// The devices of this installation, available or not.

#include "device/device.h"
#include "measure/stored_session.h"
#include "support/result.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] std::vector<DeviceInfo> listDevices();

// Those of another machine, "ssh:gpu1", with the ids that they have here (wiring/devices_elsewhere.h). WrongUse: a
// place that is written wrongly. DeviceFailed: it cannot be reached.
[[nodiscard]] Result<std::vector<DeviceInfo>> listDevicesOf(const std::string &place, const std::stop_token &stop = {});

// By id: "sim:v100", "sim:path/to/device.json", "rec:path". WrongUse for an unknown id, with the known ones as remedy.
// Errors of the latency store are reported on the thread that measures; without a handler, on standard error.
[[nodiscard]] Result<std::unique_ptr<Device>> findDevice(const std::string &id, const StoreErrorHandler &trouble = {});

// Whether findDevice() would take the id of a device without a file. Asks no device: it may not be available.
[[nodiscard]] bool isDeviceId(const std::string &id);

[[nodiscard]] std::string defaultDeviceId();

// What a kind of device takes behind its name or number.
struct DeviceOptions {
    std::string kind; // "sim", "gpu"
    std::string text; // "A GPU takes options after its number: fp32, ... (gpu:0:tf32:streams)"
    std::vector<std::string> words;
};

[[nodiscard]] std::vector<DeviceOptions> deviceOptions();

// Sets who receives notices while a measuring device is used: that it waits for another program, and problems of the
// latency store, unless findDevice() got another handler. Each text is sent once, on the thread that uses the device.
// Call it before devices are found; without it, the texts go to standard error.
void tellDeviceNotices(std::function<void(const std::string &)> listener);

} // namespace stagecraft
