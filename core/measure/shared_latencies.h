#pragma once

// A session that measures each stage once, however many searches ask for it. A stored answer keeps its first kind, so
// every search counts what it would cost on its own.
//
// Not stored: disturbed latencies, which may improve next time, and latencies from a table, which cost nothing.

#include "device/forwarding_session.h"
#include "schedule/stage_signature.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stagecraft {

class SharedLatencies : public ForwardingSession {
public:
    // Called before the device is asked, on the same thread; may wait, but not after a requested stop.
    using BeforeAsking = std::function<void(const std::stop_token &)>;

    // The graph is that of the session and must outlive it.
    SharedLatencies(std::unique_ptr<DeviceSession> session, const Graph &graph, BeforeAsking beforeAsking = {})
        : ForwardingSession(std::move(session)), m_signer(graph), m_beforeAsking(std::move(beforeAsking))
    {
    }

    // Distinct measured stages; stages that the session had stored or could not measure are counted as a search counts
    // them.
    [[nodiscard]] std::int64_t measurements() const { return m_measurements; }
    // The time that the stored answers took to measure, less the time spent in `beforeAsking`, since the session was
    // opened: what searches would have taken more by themselves.
    [[nodiscard]] double savedSeconds() const { return m_savedSeconds; }

    // Distinct stages asked for since the last call of this, stored or not: what one search needs.
    [[nodiscard]] std::int64_t takeAsked() { return static_cast<std::int64_t>(std::exchange(m_asked, {}).size()); }

    // The stage was measured elsewhere: the next question goes to the session. From any thread.
    void forget(const Stage &stage);

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;

private:
    struct Remembered {
        Result<StageLatency> latency;
        double seconds = 0;
    };

    void wait(const std::stop_token &stop);
    void forgetStale();

    StageSigner m_signer;
    BeforeAsking m_beforeAsking;
    std::unordered_map<StageSignature, Remembered> m_remembered;
    std::unordered_set<StageSignature> m_asked;
    std::int64_t m_measurements = 0;
    double m_savedSeconds = 0;
    std::mutex m_mutex; // protects m_stale
    std::vector<Stage> m_stale;
};

} // namespace stagecraft
