#include "desktop/work/device_sessions.h"

#include <system_error>

namespace stagecraft {

namespace {

std::optional<std::filesystem::file_time_type> changedAt(const std::filesystem::path &file)
{
    std::error_code none;
    const auto time = std::filesystem::last_write_time(file, none);
    return none ? std::nullopt : std::optional(time);
}

} // namespace

std::filesystem::path deviceFile(std::string_view id)
{
    if (!id.starts_with("sim:") && !id.starts_with("rec:"))
        return {};
    const std::string_view name = id.substr(4, id.find('*') == id.npos ? id.npos : id.find('*') - 4);
    std::error_code none;
    return std::filesystem::is_regular_file(name, none) ? std::filesystem::path(name) : std::filesystem::path();
}

Result<DeviceSessions::Opened> DeviceSessions::open(const std::shared_ptr<const Graph> &graph,
                                                    const std::string &deviceId)
{
    const auto changed = changedAt(deviceFile(deviceId));
    if (m_session && m_graph == graph && m_deviceId == deviceId && m_changed == changed)
        return Opened{m_session.get(), &m_info};
    m_session.reset();
    m_device.reset();
    TRY_AS(auto device, m_find(deviceId));
    device->onWaiting(m_waiting);
    TRY_AS(auto session, device->open(graph));
    m_device = std::move(device);
    m_session = std::move(session);
    m_info = m_device->info();
    m_graph = graph;
    m_deviceId = deviceId;
    m_changed = changed;
    return Opened{m_session.get(), &m_info};
}

} // namespace stagecraft
