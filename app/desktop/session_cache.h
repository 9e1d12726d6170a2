#pragma once

// The device session a lane used last, so that the next piece of work on the same graph and device finds its stage
// latencies again. Used by one thread: the lane that owns it.

#include "device/device.h"
#include "support/result.h"

#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

using DeviceFinder = std::function<Result<std::unique_ptr<Device>>(const std::string &)>;

class SessionCache {
public:
    explicit SessionCache(DeviceFinder find) : m_find(std::move(find)) {}

    struct Opened {
        DeviceSession *session = nullptr;   // owned by the cache, until the next call
        const DeviceInfo *device = nullptr; // likewise
    };

    [[nodiscard]] Result<Opened> open(const std::shared_ptr<const Graph> &graph, const std::string &deviceId);

private:
    DeviceFinder m_find;
    std::shared_ptr<const Graph> m_graph;
    std::string m_deviceId;
    DeviceInfo m_info;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<DeviceSession> m_session;
};

} // namespace stagecraft
