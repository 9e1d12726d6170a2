#pragma once

// A pool opened on one graph: stages go to all members (device/pool/pool_work.h); schedules, timelines and runs to the
// first that works, so that rounds compare like with like.

#include "device/pool/pool_work.h"
#include "device/session_traits.h"
#include "schedule/stage_signature.h"

#include <memory>
#include <stop_token>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class PoolSession : public DeviceSession,
                    public Executor,
                    public WorkspaceSource,
                    public DisturbedLatencies,
                    public DeviceMembers {
public:
    // `bounds`: a session that no member uses, which states lower bounds; null: none are known.
    PoolSession(std::unique_ptr<PoolWork> work, std::unique_ptr<DeviceSession> bounds,
                std::shared_ptr<const Graph> graph);

    // Asks the first member what it is. Errors: why no member works.
    [[nodiscard]] Result<void> readTraits();

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                      std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override;
    // One member after the other, each its own.
    [[nodiscard]] Result<std::int64_t> measureAgain(const std::function<bool()> &goOn, std::stop_token stop) override;

    [[nodiscard]] bool isLost() const override { return m_work->lost().has_value(); }
    [[nodiscard]] std::size_t atATime() const override { return m_work->size(); }
    void want(std::vector<WantedStage> stages) override;
    [[nodiscard]] std::vector<MemberCounts> counts() const override { return m_work->counts(); }

    [[nodiscard]] bool measuresStages() const override { return m_traits.measuresStages; }
    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_traits.boundary; }
    [[nodiscard]] bool isNoisy() const override { return m_traits.isNoisy; }
    [[nodiscard]] bool chainsAddUp() const override { return m_traits.chainsAddUp; }
    [[nodiscard]] double lowerBoundUs(const Stage &stage) const override
    {
        return m_bounds ? m_bounds->lowerBoundUs(stage) : 0;
    }
    [[nodiscard]] std::vector<double> sharesUs(OperatorId id) const override
    {
        return m_bounds ? m_bounds->sharesUs(id) : std::vector<double>();
    }

    [[nodiscard]] Executor *executor() override { return m_traits.executes ? this : nullptr; }
    [[nodiscard]] WorkspaceSource *workspace() override { return m_traits.hasWorkspace ? this : nullptr; }
    [[nodiscard]] DisturbedLatencies *disturbed() override { return m_traits.hasDisturbed ? this : nullptr; }
    [[nodiscard]] const DeviceMembers *members() const override { return this; }

private:
    template <typename Ask>
    [[nodiscard]] std::invoke_result_t<Ask, DeviceSession &> onOne(const Ask &ask);

    std::unique_ptr<PoolWork> m_work;
    std::unique_ptr<DeviceSession> m_bounds;
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    SessionTraits m_traits;                                   // of a member
    std::unordered_map<StageSignature, StageLatency> m_exact; // answers without noise are not asked for again
};

} // namespace stagecraft
