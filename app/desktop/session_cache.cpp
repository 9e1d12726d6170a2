#include "desktop/session_cache.h"

namespace stagecraft {

Result<SessionCache::Opened> SessionCache::open(const std::shared_ptr<const Graph> &graph, const std::string &deviceId)
{
    if (m_session && m_graph == graph && m_deviceId == deviceId)
        return Opened{m_session.get(), &m_info};
    m_session.reset();
    m_device.reset();
    auto device = m_find(deviceId);
    if (!device)
        return tl::unexpected(device.error());
    auto session = (*device)->open(graph);
    if (!session)
        return tl::unexpected(session.error());
    m_device = std::move(*device);
    m_session = std::move(*session);
    m_info = m_device->info();
    m_graph = graph;
    m_deviceId = deviceId;
    return Opened{m_session.get(), &m_info};
}

} // namespace stagecraft
