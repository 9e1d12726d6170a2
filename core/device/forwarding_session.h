#pragma once

// A session in front of another one: what a derived class does not change is the other's.

#include "device/device.h"

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft {

class ForwardingSession : public DeviceSession, public Executor, public WorkspaceSource {
public:
    explicit ForwardingSession(std::shared_ptr<DeviceSession> session) : m_session(std::move(session)) {}

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                      std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override;

    [[nodiscard]] bool measuresStages() const override { return m_session->measuresStages(); }
    [[nodiscard]] bool isLost() const override { return m_session->isLost(); }
    [[nodiscard]] std::size_t atATime() const override { return m_session->atATime(); }
    void want(std::vector<WantedStage> stages) override { m_session->want(std::move(stages)); }
    [[nodiscard]] std::vector<StageSample> samples() override { return m_session->samples(); }
    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    [[nodiscard]] bool isTable() const override { return m_session->isTable(); }
    [[nodiscard]] bool isNoisy() const override { return m_session->isNoisy(); }
    [[nodiscard]] bool chainsAddUp() const override { return m_session->chainsAddUp(); }
    [[nodiscard]] double lowerBoundUs(const Stage &stage) const override { return m_session->lowerBoundUs(stage); }
    [[nodiscard]] std::vector<double> sharesUs(OperatorId id) const override { return m_session->sharesUs(id); }

    [[nodiscard]] Executor *executor() override { return m_session->executor() ? this : nullptr; }
    [[nodiscard]] WorkspaceSource *workspace() override { return m_session->workspace() ? this : nullptr; }
    [[nodiscard]] const LocalHardware *hardware() const override { return m_session->hardware(); }
    [[nodiscard]] DisturbedLatencies *disturbed() override { return m_session->disturbed(); }
    [[nodiscard]] const DeviceMembers *members() const override { return m_session->members(); }
    [[nodiscard]] KernelTuner *tuner() override { return m_session->tuner(); }

protected:
    [[nodiscard]] DeviceSession &session() const { return *m_session; }

private:
    std::shared_ptr<DeviceSession> m_session;
};

} // namespace stagecraft
