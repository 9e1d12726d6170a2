#include "measure/measurer.h"

#include "measure/stored_latencies.h"
#include "support/blocking_calls.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUnusedAtMost = 4;

// Differs if the store may have other contents. Empty: there is none.
std::string stateOf(const std::string &store)
{
    std::string state;
    for (const std::string &file : {store, store + "-wal"}) {
        std::error_code none;
        const auto size = fs::file_size(file, none);
        if (!none)
            state += fmt::format("{} {}; ", size, fs::last_write_time(file, none).time_since_epoch().count());
    }
    return state;
}

} // namespace

Measurer::Measurer(std::shared_ptr<const Graph> graph, std::string deviceId, FileTime changed,
                   std::shared_ptr<Turns> turns)
    : m_graph(std::move(graph)), m_deviceId(std::move(deviceId)), m_changed(changed), m_turns(std::move(turns))
{
}

bool Measurer::isOf(const Graph *graph, const std::string &deviceId) const
{
    return m_graph.get() == graph && m_deviceId == deviceId;
}

// The device tells whoever has the turn. Called with the mutex held.
Result<std::shared_ptr<SharedSession>> Measurer::openSession(const Device::Waiting &told)
{
    auto shared = std::make_shared<SharedSession>();
    shared->device = m_device;
    shared->onWaiting = told;
    m_device->onWaiting([weak = std::weak_ptr(shared)](const std::optional<DeviceWait> &wait) {
        if (const auto session = weak.lock(); session && session->onWaiting)
            session->onWaiting(wait);
    });
    TRY_AS(auto session, m_device->open(m_graph));
    shared->hold(std::move(session));
    return shared;
}

Result<Measurers::Opened> Measurer::open(const DeviceFinder &find, Urgency urgency, Device::Waiting told,
                                         const std::optional<ModelFile> &file)
{
    noteBlockingCall();
    const std::scoped_lock lock(m_mutex);
    if (m_shared && m_shared.use_count() == 1 && m_shared->hasFailed)
        m_shared.reset(); // it may be well again
    std::shared_ptr<SharedSession> session = m_shared;
    if (!session && !m_unused.empty()) {
        session = std::move(m_unused.back());
        m_unused.pop_back();
        session->onWaiting = told;
    }
    if (!session) {
        TRY_AS(m_device, find(m_deviceId));
        m_device->setModelFile(file);
        TRY_AS(session, openSession(told));
    }
    MeasuringSession::Shared shared{session, m_turns, nullptr, {}};
    if (session->traits.isNoisy) {
        m_shared = session;
        shared.known = m_known;
        shared.onClosed = [keep = shared_from_this()] {};
    } else {
        shared.onClosed = [self = shared_from_this(), session] { self->giveBack(session); };
    }
    return Measurers::Opened{m_device->info(),
                             std::make_unique<MeasuringSession>(std::move(shared), *m_graph, urgency, std::move(told))};
}

void Measurer::giveBack(std::shared_ptr<SharedSession> session)
{
    session->onWaiting = {};
    const std::scoped_lock lock(m_mutex);
    if (m_unused.size() < kUnusedAtMost && !session->hasFailed)
        m_unused.push_back(std::move(session));
}

bool Measurer::readStore(const std::string &path, const DeviceInfo &device)
{
    const std::scoped_lock lock(m_reading);
    std::string state = path.empty() ? std::string() : stateOf(path);
    if (state == m_readState)
        return false;
    auto stored = storedLatencies(path, device, m_graph->batch());
    if (!stored)
        return false;
    m_known->setStored(std::move(*stored));
    m_readState = std::move(state);
    return true;
}

} // namespace stagecraft
