#pragma once

// A session of a device that others use at the same time: each question waits for its turn (measure/turns.h), and a
// stage that any of them has measured is not asked for again.
//
// For a study, it also counts: points share their latencies, but each states what it would cost by itself, so an answer
// keeps its first kind.
//
// Not remembered: disturbed latencies, which may improve next time, and latencies from a table, which cost nothing.

#include "device/forwarding_session.h"
#include "device/session_traits.h"
#include "measure/known_timings.h"
#include "measure/turns.h"
#include "schedule/stage_signature.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stagecraft {

// A session that is asked by several. Its properties are read before anybody asks.
struct SharedSession {
    void hold(std::unique_ptr<DeviceSession> opened);

    std::shared_ptr<const Device> device; // of the session; null if it needs none
    std::shared_ptr<DeviceSession> session;
    SessionTraits traits;                // of `session`
    Device::Waiting onWaiting;           // of whoever has the turn
    std::atomic<bool> hasFailed = false; // the last answer was that the device failed
    std::atomic<bool> isLost = false;    // and for good
};

class MeasuringSession : public ForwardingSession, public DisturbedLatencies {
public:
    // What a session shares with the others of its device.
    struct Shared {
        std::shared_ptr<SharedSession> session;
        std::shared_ptr<Turns> turns;        // null: nobody else asks
        std::shared_ptr<KnownTimings> known; // null: not worth remembering
        std::function<void()> onClosed;      // before it is destroyed
    };

    // `told`: as Device::onWaiting. The graph is that of the session and must outlive it.
    MeasuringSession(Shared shared, const Graph &graph, Urgency urgency, Device::Waiting told = {});
    // Nobody else asks; for a study.
    MeasuringSession(std::unique_ptr<DeviceSession> session, const Graph &graph);
    ~MeasuringSession() override;
    MeasuringSession(const MeasuringSession &) = delete;
    MeasuringSession &operator=(const MeasuringSession &) = delete;

    // Of a study: distinct measured stages; stages that the session had stored or could not measure are counted as a
    // search counts them.
    [[nodiscard]] std::int64_t measurements() const { return m_measurements; }
    // Of a study: the time that the remembered answers took to measure, since the session was opened: what searches
    // would have taken more by themselves.
    [[nodiscard]] double savedSeconds() const { return m_savedSeconds; }
    // Of a study: distinct stages asked for since the last call of this, remembered or not: what one search needs.
    [[nodiscard]] std::int64_t takeAsked() { return static_cast<std::int64_t>(std::exchange(m_asked, {}).size()); }

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                      std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<std::int64_t> measureAgain(const std::function<bool()> &goOn, std::stop_token stop) override;

    // What is known already is not wanted.
    void want(std::vector<WantedStage> stages) override;
    [[nodiscard]] std::vector<StageSample> samples() override;
    [[nodiscard]] std::size_t atATime() const override { return m_shared.session->traits.atATime; }
    [[nodiscard]] bool isLost() const override { return m_shared.session->isLost; }

    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_shared.session->traits.boundary; }
    [[nodiscard]] bool isTable() const override { return m_shared.session->traits.isTable; }
    [[nodiscard]] bool isNoisy() const override { return m_shared.session->traits.isNoisy; }
    [[nodiscard]] bool chainsAddUp() const override { return m_shared.session->traits.chainsAddUp; }
    [[nodiscard]] bool measuresStages() const override { return m_shared.session->traits.measuresStages; }
    [[nodiscard]] DisturbedLatencies *disturbed() override { return session().disturbed() ? this : nullptr; }

private:
    struct Remembered {
        Result<StageLatency> latency;
        double seconds = 0;
    };

    template <typename Ask>
    [[nodiscard]] std::invoke_result_t<Ask> inTurn(const std::stop_token &stop, const Ask &ask);
    [[nodiscard]] std::optional<StageLatency> ofThisRun(const StageSignature &signature) const;
    [[nodiscard]] std::optional<Result<StageLatency>> remembered(const StageSignature &signature);
    void share(const StageQuestion &question, const Result<StageLatency> &latency);
    [[nodiscard]] bool isStudy() const { return m_urgency == Urgency::Study; }

    Shared m_shared;
    const Graph &m_graph;
    Urgency m_urgency;
    Device::Waiting m_told;
    StageSigner m_signer;
    std::unordered_map<StageSignature, Remembered> m_remembered; // by a study
    std::unordered_set<StageSignature> m_asked;
    std::int64_t m_measurements = 0;
    double m_savedSeconds = 0;
};

} // namespace stagecraft
