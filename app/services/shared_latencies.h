#pragma once

// A session that measures each stage once, however many searches ask for it. A stored answer keeps its first origin, so
// every search counts what it would cost on its own.
//
// Not stored: disturbed latencies, which may improve next time, and latencies from a table, which cost nothing.

#include "device/device.h"
#include "schedule/stage_signature.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace stagecraft {

class SharedLatencies : public DeviceSession {
public:
    explicit SharedLatencies(std::unique_ptr<DeviceSession> session) : m_session(std::move(session)) {}

    // Distinct measured stages; stages that the session had stored or could not measure are counted as a search counts
    // them.
    [[nodiscard]] std::int64_t measurements() const { return m_measurements; }
    // The time that the stored answers took to measure, since the session was opened.
    [[nodiscard]] double savedSeconds() const { return m_savedSeconds; }

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    [[nodiscard]] bool isTable() const override { return m_session->isTable(); }
    [[nodiscard]] bool isNoisy() const override { return m_session->isNoisy(); }
    [[nodiscard]] double lowerBoundUs(const Stage &stage) const override { return m_session->lowerBoundUs(stage); }
    [[nodiscard]] std::vector<double> sharesUs(OperatorId id) const override { return m_session->sharesUs(id); }
    [[nodiscard]] Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Executor *executor() override { return m_session->executor(); }
    [[nodiscard]] const LocalHardware *hardware() const override { return m_session->hardware(); }
    [[nodiscard]] DisturbedLatencies *disturbed() override { return m_session->disturbed(); }

private:
    struct Remembered {
        Result<StageLatency> latency;
        double seconds = 0;
    };

    std::unique_ptr<DeviceSession> m_session;
    std::unordered_map<StageSignature, Remembered> m_remembered;
    std::int64_t m_measurements = 0;
    double m_savedSeconds = 0;
};

} // namespace stagecraft
