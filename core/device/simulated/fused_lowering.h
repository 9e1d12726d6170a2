#pragma once

// Fused stages on the simulated device: the rKernels of operators, and the rProgram that the wavefront policy makes of
// a stage (schedule/rtasks/wavefront.h).

#include "device/simulated/block_scheduler.h"
#include "device/simulated/kernel.h"
#include "device/simulated/lowering.h"
#include "device/simulated/stage_bound.h"
#include "graph/graph.h"
#include "schedule/rtasks/wavefront.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <compare>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct FusedStage {
    RProgram program;
    std::vector<const Kernel *> kernels; // by rOperator: its chosen rKernel; they live as long as the FusedLowering
    Kernel persistent;                   // the one kernel, whose blocks are the units
};

// An operator of a fused stage. In their order, equal stages are equal, however their operators are numbered.
struct FusedOperator {
    std::size_t wave = 0;   // of its first rOperator
    std::uint32_t kind = 0; // of its kernels
    OperatorId op;

    friend auto operator<=>(const FusedOperator &, const FusedOperator &) = default;
};

// Threads: used by one thread at a time.
class FusedLowering {
public:
    // One step of an operator: an rOperator.
    struct Step {
        std::vector<Kernel> kernels;   // the fastest alone and, if it is another one, the thriftiest
        std::vector<RKernel> rKernels; // the same as rKernels
        KernelNeeds least;             // whichever is chosen
    };

    // All but `limits` outlive it. `arithmetic`: by operator.
    FusedLowering(const Graph &graph, Lowering &lowering, const SmLimits &limits,
                  const std::vector<DataType> &arithmetic);

    // The operator has no kernels here.
    void leaveOut(OperatorId id) { m_steps[id.index()] = std::vector<Step>(); }

    // In the order of execution. Operators without kernels have no steps.
    [[nodiscard]] const std::vector<Step> &stepsOf(OperatorId id);

    // Ascending. `kinds`: by operator of the graph, equal where kernels are.
    [[nodiscard]] std::vector<FusedOperator> operatorsOf(const Stage &stage, std::span<const std::uint32_t> kinds);

    // Verified. DeviceFailed if no unit with what the rKernels need is resident.
    [[nodiscard]] Result<FusedStage> fused(std::span<const FusedOperator> operators,
                                           RKernelChoice choice = RKernelChoice::ByWave);

    // What the operators take at least in one fused stage, without simulation: the work of each wave, and the barriers.
    [[nodiscard]] double leastNs(std::span<const FusedOperator> operators);

private:
    [[nodiscard]] std::vector<Step> madeSteps(OperatorId id);
    [[nodiscard]] RKernel rKernelOf(const Kernel &kernel);

    const Graph &m_graph;
    Lowering &m_lowering;
    SmLimits m_limits;
    BlockScheduler m_scheduler; // of rKernels alone
    const std::vector<DataType> &m_arithmetic;
    std::vector<std::optional<std::vector<Step>>> m_steps; // by operator, when asked for
};

} // namespace stagecraft
