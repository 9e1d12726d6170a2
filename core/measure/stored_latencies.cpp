#include "measure/stored_latencies.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace stagecraft {

StoredLatencies::StoredLatencies(std::string path) : m_path(std::move(path)) {}

StoredLatencies::~StoredLatencies() = default;

std::optional<double> StoredLatencies::us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                          const Stage &stage)
{
    std::error_code none;
    if (device.fingerprint.empty() || m_path.empty())
        return std::nullopt;
    if (!m_store) {
        if (!std::filesystem::exists(m_path, none)) // looking creates no store
            return std::nullopt;
        auto opened = LatencyStore::open(m_path);
        if (!opened)
            return std::nullopt;
        m_store.emplace(std::move(*opened));
    }
    if (m_graph != graph) {
        m_graph = graph;
        m_signer.emplace(*graph);
    }
    const auto found = m_store->find({device.fingerprint, device.title, device.id, graph->batch(), graph->name()},
                                     m_signer->sign(stage), {stage.strategy, operatorNames(*graph, stage)});
    return found && *found ? std::optional((*found)->latencyUs) : std::nullopt;
}

} // namespace stagecraft
