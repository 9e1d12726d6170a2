#include "desktop/work/known_latencies.h"

#include "measure/store/latency_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace stagecraft {
namespace {

constexpr qint64 kAgeMs = 500; // after which the store is looked at again

// Differs if the file may have other contents. Empty: there is none.
std::string stateOf(const std::string &path)
{
    namespace fs = std::filesystem;
    std::string state;
    for (const std::string &file : {path, path + "-wal"}) {
        std::error_code none;
        const auto size = fs::file_size(file, none);
        if (!none)
            state += fmt::format("{} {}; ", size, fs::last_write_time(file, none).time_since_epoch().count());
    }
    return state;
}

} // namespace

KnownLatencies::KnownLatencies(std::string path, QObject *parent) : QObject(parent), m_path(std::move(path)) {}

KnownLatencies::~KnownLatencies() = default;

std::optional<double> KnownLatencies::us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                         const Stage &stage)
{
    if (device.fingerprint.empty() || m_path.empty())
        return std::nullopt;
    if (Subject subject{device.fingerprint, device.id, graph->batch()}; subject != m_subject) {
        m_subject = std::move(subject);
        m_known.clear();
        m_readState.clear();
        m_lane.cancel();
        m_sinceRead.invalidate();
    }
    if (!m_lane.isBusy() && (!m_sinceRead.isValid() || m_sinceRead.elapsed() > kAgeMs))
        read();
    if (m_graph != graph) {
        m_graph = graph;
        m_signer.emplace(*graph);
    }
    const auto found = m_known.find(m_signer->sign(stage).toHex());
    return found == m_known.end() ? std::nullopt : std::optional(found->second.latencyUs);
}

void KnownLatencies::read()
{
    m_lane.start([this, path = m_path, subject = m_subject,
                  before = m_readState](const JobLane::Context &) -> JobLane::Delivery {
        const auto asBefore = [this] { return [this] { m_sinceRead.start(); }; };
        std::string state = stateOf(path);
        if (state.empty() || state == before) // looking creates no store
            return asBefore();
        auto store = LatencyStore::open(path);
        if (!store)
            return asBefore();
        auto known = store->latencies({subject.fingerprint, {}, subject.device, subject.batch, {}});
        if (!known)
            return asBefore();
        return [this, state = std::move(state), known = std::move(*known)]() mutable {
            m_sinceRead.start();
            m_readState = std::move(state);
            m_known = std::move(known);
            emit changed();
        };
    });
}

} // namespace stagecraft
