#pragma once

// A simulated device opened on one graph (simulated_device.h has the contract).

#include "device/device.h"
#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/fused_lowering.h"
#include "device/simulated/lowering.h"
#include "device/simulated/rtask_latencies.h"
#include "device/simulated/simulated_options.h"
#include "device/simulated/stage_bound.h"
#include "device/simulated/stage_program.h"
#include "device/simulated/unit_scheduler.h"
#include "schedule/launched_groups.h"

#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class SimulatedSession final : public DeviceSession {
public:
    SimulatedSession(DeviceDescription device, SimulatedRun run, std::string deviceId,
                     std::shared_ptr<const Graph> graph);

    [[nodiscard]] Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    [[nodiscard]] BoundaryCost boundaryCost() const override;
    // From the minimum needs of host, SMs and memory (device/simulated/stage_bound.h); without simulation.
    [[nodiscard]] double lowerBoundUs(const Stage &stage) const override;
    [[nodiscard]] std::vector<double> sharesUs(OperatorId id) const override;

    // No schedule takes less, with or without barriers, unless it merges convolutions.
    [[nodiscard]] double boundWithoutBarriersUs() const;

    // device/simulated/rtask_latencies.h
    [[nodiscard]] Result<RTaskLatencies> rTaskLatencies(const Blocks &blocks);

    // The sum of its stages and the boundaries between them. Streams: from the first launch until all has ended, while
    // one host thread launches in order, records an event after each launch that another one waits for, and lets the
    // other stream wait for it.
    [[nodiscard]] Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override;

private:
    using StageKey = std::vector<std::uint32_t>;
    struct KeyHash {
        std::size_t operator()(const StageKey &key) const noexcept;
    };
    using Kernels = std::vector<Kernel>;

    [[nodiscard]] Result<void> check(const Stage &stage) const;
    [[nodiscard]] std::vector<GroupLaunch> launchesOf(const Stage &stage) const;
    [[nodiscard]] StageKey keyOf(const Stage &stage, const std::vector<GroupLaunch> &launches);
    [[nodiscard]] Result<StageProgram> program(const Stage &stage, const std::vector<GroupLaunch> &launches);
    [[nodiscard]] Result<StageProgram> program(const Streams &streams);
    // A stage that ran: its launches, and when the last one ended.
    struct StageRun {
        StageProgram program;
        double endNs = 0;
        std::vector<Kernel> made = {};               // those of the program that live only here
        std::vector<TimedROperator> rOperators = {}; // of a fused stage that is traced

        [[nodiscard]] double latencyNs() const { return stageLatencyNs(program, endNs); }
    };
    [[nodiscard]] Result<StageRun> run(const Stage &stage, const std::vector<GroupLaunch> &launches,
                                       BlockTrace *trace = nullptr);
    [[nodiscard]] Result<StageRun> runFused(std::span<const FusedOperator> operators, RKernelChoice choice,
                                            BlockTrace *trace);
    [[nodiscard]] Result<const Kernels *> mergedKernels(const Stage &stage);
    [[nodiscard]] std::uint32_t classOf(const Kernels &kernels);
    [[nodiscard]] double fmaPerClockPerSm() const; // of the fastest arithmetic that the graph takes

    DeviceDescription m_device; // as its launches make it
    std::string m_deviceId;
    std::shared_ptr<const Graph> m_graph;
    std::vector<DataType> m_arithmetic; // by operator
    Tf32Use m_tf32;
    Lowering m_lowering;
    SmLimits m_limits;
    BlockScheduler m_scheduler;
    mutable FusedLowering m_fusedLowering; // keeps what it lowered
    UnitScheduler m_unitScheduler;

    std::deque<Kernels> m_classes; // the distinct kernel lists of the graph
    std::vector<std::vector<KernelNeeds>> m_needs;
    std::vector<std::uint32_t> m_classOfOperator; // by operator
    std::unordered_map<StageKey, Kernels, KeyHash> m_merged;
    std::unordered_map<StageKey, double, KeyHash> m_latencyUs;
};

} // namespace stagecraft
