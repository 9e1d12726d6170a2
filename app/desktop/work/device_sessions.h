#pragma once

// The device session a lane used last, so that the next work on the same graph and device reuses its stage latencies. A
// device from a file is read again when the file changes. Used by one thread: that of the lane that owns it.

#include "device/device.h"
#include "support/result.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

using DeviceFinder = std::function<Result<std::unique_ptr<Device>>(const std::string &)>;

// The file of a device "sim:FILE" or "rec:FILE", changed by hand or not; empty for other devices.
[[nodiscard]] std::filesystem::path deviceFile(std::string_view id);

class DeviceSessions {
public:
    // `waiting`: see Device::onWaiting.
    explicit DeviceSessions(DeviceFinder find, Device::Waiting waiting = {})
        : m_find(std::move(find)), m_waiting(std::move(waiting))
    {
    }

    struct Opened {
        DeviceSession *session = nullptr;   // owned by the cache, valid until the next call
        const DeviceInfo *device = nullptr; // owned by the cache, valid until the next call
    };

    [[nodiscard]] Result<Opened> open(const std::shared_ptr<const Graph> &graph, const std::string &deviceId);

private:
    DeviceFinder m_find;
    Device::Waiting m_waiting;
    std::shared_ptr<const Graph> m_graph;
    std::string m_deviceId;
    std::optional<std::filesystem::file_time_type> m_changed; // when the device's file was changed
    DeviceInfo m_info;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<DeviceSession> m_session;
};

} // namespace stagecraft
