#include "measure/measurers.h"

#include "device/device_file.h"
#include "measure/measurer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kKept = 3; // each may be a worker process with the weights of a model

} // namespace

Measurers::Measurers(DeviceFinder find, std::string store)
    : m_find(std::move(find)), m_store(std::move(store)), m_turns(std::make_shared<Turns>())
{
}

Measurers::~Measurers() = default;

std::shared_ptr<Measurer> Measurers::measurer(const std::shared_ptr<const Graph> &graph, const std::string &deviceId)
{
    std::error_code none;
    const auto time = std::filesystem::last_write_time(deviceFile(deviceId), none);
    const Measurer::FileTime changed = none ? std::nullopt : std::optional(time);
    std::shared_ptr<Measurer> dropped; // closed without the mutex: it may end a process
    const std::scoped_lock lock(m_mutex);
    const auto found =
        std::ranges::find_if(m_measurers, [&](const auto &each) { return each->isOf(graph.get(), deviceId); });
    if (found != m_measurers.end() && (*found)->changed() == changed) {
        std::rotate(found, found + 1, m_measurers.end());
        return m_measurers.back();
    }
    const auto old = found != m_measurers.end() ? found : m_measurers.begin();
    if (found != m_measurers.end() || m_measurers.size() == kKept) {
        dropped = std::move(*old);
        m_measurers.erase(old);
    }
    return m_measurers.emplace_back(std::make_shared<Measurer>(graph, deviceId, changed, m_turns));
}

Result<Measurers::Opened> Measurers::open(const std::shared_ptr<const Graph> &graph, const std::string &deviceId,
                                          Urgency urgency, Device::Waiting told, const std::optional<ModelFile> &file)
{
    return measurer(graph, deviceId)->open(m_find, urgency, std::move(told), file);
}

std::optional<Timing> Measurers::known(const Graph *graph, const std::string &deviceId,
                                       const StageSignature &signature) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = std::ranges::find_if(m_measurers, [&](const auto &each) { return each->isOf(graph, deviceId); });
    return found == m_measurers.end() ? std::nullopt : (*found)->known().find(signature);
}

bool Measurers::readStore(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device)
{
    return measurer(graph, device.id)->readStore(m_store, device);
}

Result<LatencyStore> Measurers::openStore() const
{
    std::error_code none;
    const bool isThere = !m_store.empty() && std::filesystem::exists(m_store, none);
    return isThere ? LatencyStore::open(m_store) : LatencyStore::inMemory();
}

Result<std::int64_t> Measurers::countStored(const StoredSelection &meant) const
{
    TRY_AS(auto store, openStore());
    return store.count(meant);
}

Result<std::int64_t> Measurers::forgetStored(const StoredSelection &meant)
{
    TRY_AS(auto store, openStore());
    TRY_AS(const std::int64_t gone, store.clear(meant));
    const std::scoped_lock lock(m_mutex);
    for (const auto &each : m_measurers)
        each->known().clear();
    return gone;
}

} // namespace stagecraft
